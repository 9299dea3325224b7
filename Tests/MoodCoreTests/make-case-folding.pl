#!/usr/bin/perl
# Writes Sources/MoodCore/Text/CaseFolding+Table.swift to stdout, from the Unicode data that comes with Perl:
#
#     perl Tests/MoodCoreTests/make-case-folding.pl > Sources/MoodCore/Text/CaseFolding+Table.swift
#
# Simple case folding: the mappings of CaseFolding.txt with status C and S.
use strict;
use warnings;
use Unicode::UCD qw(all_casefolds);

my $folds = all_casefolds();
my @ranges;    # [first, last, stride, delta]; the stride of a single code point is still open (0)
for my $code (sort { $a <=> $b } keys %$folds) {
    my $simple = $folds->{$code}{simple};
    next if !defined $simple || $simple eq '';
    my $delta = hex($simple) - $code;
    next if $delta == 0;
    my $range = $ranges[-1];
    if ($range && $range->[3] == $delta) {
        my $step = $code - $range->[1];
        if ($range->[2] == $step || ($range->[2] == 0 && $step <= 2)) {
            $range->[1] = $code;
            $range->[2] = $step;
            next;
        }
    }
    push @ranges, [$code, $code, 0, $delta];
}

my $version = Unicode::UCD::UnicodeVersion();
my $count   = @ranges;
print <<"END";
// Unicode $version, simple case folding. Written by Tests/MoodCoreTests/make-case-folding.pl: do not edit.

extension CaseFolding {
    /// A run of scalars that fold by the same distance.
    struct Run {
        let first: UInt32
        let last: UInt32
        /// 1: every scalar of the run; 2: every other one.
        let stride: UInt32
        let delta: Int32

        init(_ first: UInt32, _ last: UInt32, _ stride: UInt32, _ delta: Int32) {
            self.first = first
            self.last = last
            self.stride = stride
            self.delta = delta
        }
    }

    static let unicodeVersion = "$version"

    /// Ascending and disjoint: $count runs.
    static let runs: [Run] = [
END
for my $range (@ranges) {
    my ($first, $last, $stride, $delta) = @$range;
    printf "        Run(0x%04X, 0x%04X, %d, %d),\n", $first, $last, $stride || 1, $delta;
}
print "    ]\n}\n";
