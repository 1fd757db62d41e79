use strict;
use warnings;
use Archive::Zip qw(:ERROR_CODES);
my $archive = Archive::Zip->new();
$archive->addTree('.', '') == AZ_OK or die;
$archive->writeToFileNamed($ARGV[0]) == AZ_OK or die;
