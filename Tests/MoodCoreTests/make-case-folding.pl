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
    }

    static let unicodeVersion = "$version"

    /// Ascending and disjoint: $count runs of four numbers, in the layout of `Run`.
    static let table: [Int32] = [
END
my $line = "";
for my $number (map { (sprintf("0x%04X", $_->[0]), sprintf("0x%04X", $_->[1]), $_->[2] || 1, $_->[3]) } @ranges) {
    if ($line ne "" && length("        $line, $number,") > 120) {
        print "        $line,\n";
        $line = "";
    }
    $line .= ($line eq "" ? "" : ", ") . $number;
}
print "        $line,\n    ]\n}\n";
