"""A Flower app with muster's check-ins."""
