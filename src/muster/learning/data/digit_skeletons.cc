#include "muster/learning/data/digit_skeletons.h"

#include <array>

namespace muster::learning {
namespace {

using Table = std::array<std::vector<Skeleton>, 10>;

Table write() {
  Table t;
  t[0] = {
      // an oval closed at the top
      {{{.52F, .02F},
        {.3F, .15F},
        {.2F, .5F},
        {.3F, .86F},
        {.5F, .98F},
        {.7F, .86F},
        {.8F, .5F},
        {.7F, .14F},
        {.5F, .02F}}},
      // an oval that starts at the upper right and whose ends cross
      {{{.66F, .06F},
        {.42F, .05F},
        {.24F, .3F},
        {.22F, .66F},
        {.4F, .96F},
        {.64F, .9F},
        {.78F, .58F},
        {.74F, .24F},
        {.54F, .07F},
        {.42F, .12F}}},
      // a narrow oval
      {{{.5F, .0F},
        {.36F, .2F},
        {.32F, .55F},
        {.42F, .95F},
        {.56F, .95F},
        {.66F, .6F},
        {.64F, .2F},
        {.5F, .0F}}},
  };
  t[1] = {
      {{{.5F, .0F}, {.5F, .35F}, {.5F, .7F}, {.5F, 1.F}}},
      {{{.34F, .22F}, {.44F, .12F}, {.54F, .0F}}, {{.54F, .0F}, {.53F, .35F}, {.52F, .7F}, {.52F, 1.F}}},
      {{{.32F, .24F}, {.52F, .02F}},
       {{.52F, .02F}, {.51F, .5F}, {.5F, .97F}},
       {{.3F, .98F}, {.5F, .97F}, {.72F, .98F}}},
  };
  t[2] = {
      // a two of a hook, a diagonal and a flat base
      {{{.22F, .24F}, {.34F, .06F}, {.56F, .01F}, {.74F, .16F}, {.7F, .4F}, {.5F, .64F}, {.22F, .95F}},
       {{.22F, .95F}, {.5F, .95F}, {.8F, .94F}}},
      // a two with a loop at the lower left
      {{{.24F, .2F},
        {.42F, .03F},
        {.66F, .06F},
        {.72F, .3F},
        {.58F, .58F},
        {.36F, .88F},
        {.24F, .96F},
        {.2F, .84F},
        {.34F, .78F},
        {.54F, .9F},
        {.82F, .94F}}},
      // a rounded two with a curved base
      {{{.26F, .14F},
        {.5F, .0F},
        {.72F, .12F},
        {.68F, .36F},
        {.46F, .6F},
        {.26F, .84F},
        {.36F, .97F},
        {.6F, .93F},
        {.8F, .86F}}},
  };
  t[3] = {
      {{{.24F, .12F}, {.46F, .0F}, {.7F, .1F}, {.7F, .32F}, {.5F, .46F}},
       {{.5F, .46F}, {.74F, .56F}, {.78F, .78F}, {.58F, .98F}, {.3F, .96F}, {.2F, .84F}}},
      // a three of one stroke, whose two bowls are joined by a narrow bend
      {{{.26F, .08F},
        {.54F, .0F},
        {.72F, .16F},
        {.62F, .38F},
        {.42F, .46F},
        {.44F, .5F},
        {.66F, .54F},
        {.78F, .74F},
        {.6F, .95F},
        {.34F, .99F},
        {.2F, .9F}}},
      // a three with a flat top
      {{{.24F, .03F}, {.5F, .02F}, {.74F, .02F}},
       {{.74F, .02F}, {.6F, .2F}, {.46F, .38F}},
       {{.46F, .38F}, {.7F, .46F}, {.78F, .7F}, {.6F, .94F}, {.36F, .98F}, {.2F, .88F}}},
  };
  t[4] = {
      // a four with an open top
      {{{.34F, .02F}, {.28F, .26F}, {.22F, .54F}},
       {{.22F, .54F}, {.5F, .54F}, {.82F, .5F}},
       {{.68F, .04F}, {.66F, .5F}, {.62F, 1.F}}},
      // a closed four
      {{{.6F, .0F}, {.4F, .3F}, {.18F, .64F}},
       {{.18F, .64F}, {.5F, .64F}, {.82F, .63F}},
       {{.6F, .0F}, {.61F, .5F}, {.6F, 1.F}}},
      // a four of one rounded stroke and the stem
      {{{.28F, .02F}, {.24F, .3F}, {.3F, .5F}, {.5F, .52F}, {.7F, .42F}},
       {{.72F, .02F}, {.7F, .4F}, {.66F, .74F}, {.66F, 1.F}}},
  };
  t[5] = {
      {{{.76F, .02F}, {.54F, .02F}, {.3F, .04F}},
       {{.3F, .04F}, {.27F, .22F}, {.26F, .42F}},
       {{.26F, .42F}, {.5F, .36F}, {.74F, .5F}, {.76F, .76F}, {.54F, .97F}, {.22F, .92F}}},
      // a five of one curve
      {{{.78F, .03F},
        {.52F, .03F},
        {.36F, .08F},
        {.3F, .3F},
        {.44F, .42F},
        {.66F, .52F},
        {.74F, .74F},
        {.56F, .96F},
        {.24F, .96F}}},
      // a five whose bar is written last and tilted
      {{{.34F, .06F},
        {.3F, .26F},
        {.28F, .42F},
        {.52F, .4F},
        {.72F, .56F},
        {.7F, .84F},
        {.46F, .99F},
        {.22F, .9F}},
       {{.34F, .07F}, {.58F, .05F}, {.84F, .0F}}},
  };
  t[6] = {
      {{{.66F, .02F},
        {.42F, .16F},
        {.26F, .46F},
        {.24F, .76F},
        {.42F, .97F},
        {.68F, .92F},
        {.76F, .7F},
        {.62F, .52F},
        {.4F, .56F},
        {.26F, .74F}}},
      // a six with a straight back
      {{{.44F, .0F},
        {.32F, .3F},
        {.24F, .62F},
        {.3F, .9F},
        {.52F, .99F},
        {.74F, .86F},
        {.7F, .62F},
        {.48F, .56F},
        {.28F, .68F}}},
      // a six of a wide sweep with a small loop
      {{{.74F, .06F},
        {.5F, .06F},
        {.3F, .3F},
        {.22F, .64F},
        {.36F, .94F},
        {.6F, .96F},
        {.68F, .76F},
        {.52F, .66F},
        {.34F, .78F},
        {.34F, .9F}}},
  };
  t[7] = {
      {{{.2F, .05F}, {.5F, .04F}, {.78F, .03F}}, {{.78F, .03F}, {.64F, .34F}, {.5F, .68F}, {.42F, 1.F}}},
      // a crossed seven
      {{{.2F, .06F}, {.5F, .05F}, {.78F, .04F}},
       {{.78F, .04F}, {.6F, .4F}, {.4F, 1.F}},
       {{.36F, .52F}, {.54F, .5F}, {.74F, .49F}}},
      // a seven with a serif and a rounded corner
      {{{.22F, .2F}, {.26F, .06F}, {.5F, .08F}, {.74F, .04F}, {.72F, .24F}, {.58F, .56F}, {.52F, .98F}}},
  };
  t[8] = {
      // an eight of one stroke that crosses itself in the middle
      {{{.7F, .12F},
        {.5F, .01F},
        {.3F, .12F},
        {.34F, .32F},
        {.54F, .48F},
        {.74F, .68F},
        {.7F, .9F},
        {.48F, .99F},
        {.26F, .88F},
        {.28F, .66F},
        {.48F, .48F},
        {.68F, .3F},
        {.7F, .12F}}},
      // an eight of two rings
      {{{.5F, .02F}, {.32F, .1F}, {.3F, .32F}, {.5F, .44F}, {.7F, .32F}, {.68F, .1F}, {.5F, .02F}},
       {{.5F, .44F}, {.28F, .56F}, {.24F, .82F}, {.5F, .98F}, {.76F, .82F}, {.72F, .56F}, {.5F, .44F}}},
      // an eight that starts at the upper right and stays open
      {{{.74F, .1F},
        {.48F, .02F},
        {.3F, .18F},
        {.42F, .4F},
        {.64F, .6F},
        {.68F, .84F},
        {.46F, .98F},
        {.28F, .84F},
        {.36F, .62F},
        {.58F, .4F},
        {.78F, .04F}}},
  };
  t[9] = {
      // a nine of a ring and a straight leg
      {{{.7F, .1F}, {.46F, .02F}, {.26F, .18F}, {.28F, .42F}, {.5F, .5F}, {.68F, .36F}, {.7F, .1F}},
       {{.7F, .1F}, {.69F, .5F}, {.66F, 1.F}}},
      // a nine of a ring and a curved leg
      {{{.68F, .1F},
        {.44F, .04F},
        {.26F, .22F},
        {.32F, .44F},
        {.54F, .46F},
        {.7F, .26F},
        {.72F, .12F},
        {.74F, .44F},
        {.68F, .78F},
        {.5F, .97F},
        {.28F, .92F}}},
      // a nine of one slanted sweep
      {{{.74F, .08F},
        {.5F, .02F},
        {.28F, .2F},
        {.28F, .42F},
        {.46F, .48F},
        {.66F, .32F},
        {.76F, .06F},
        {.66F, .44F},
        {.56F, .74F},
        {.46F, 1.F}}},
  };
  return t;
}

}  // namespace

const std::vector<Skeleton>& skeletons(std::uint8_t digit) {
  static const Table table = write();
  return table.at(digit);
}

}  // namespace muster::learning
