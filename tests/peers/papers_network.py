"""The network of the papers in PyTorch, for the tests of several peers."""

from torch import nn


class Cnn(nn.Module):
    """The network of docs/formats.md; its state has the names, shapes and order of the file."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 8, stride=2, padding=3)
        self.conv2 = nn.Conv2d(16, 32, 4, stride=2)
        self.fc1 = nn.Linear(512, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(nn.functional.relu(self.conv1(x)), 2, stride=1)
        x = nn.functional.max_pool2d(nn.functional.relu(self.conv2(x)), 2, stride=1)
        return self.fc2(nn.functional.relu(self.fc1(x.flatten(1))))
