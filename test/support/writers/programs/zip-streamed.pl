use strict;
use warnings;
use File::Find;
use IO::Compress::Zip qw($ZipError);
my ($archive, @names);
find({ no_chdir => 1, wanted => sub { push @names, $_ if -f } }, '.');
for my $path (sort @names) {
    my $name = $path =~ s{^\./}{}r;
    my @options = (Name => $name, Stream => 1);
    if ($archive) { $archive->newStream(@options) or die $ZipError }
    else { $archive = IO::Compress::Zip->new('-', @options) or die $ZipError }
    open(my $file, '<:raw', $path) or die $!;
    local $/;
    my $data = <$file>;
    $archive->print($data) if length $data;
}
$archive->close() or die;
