<?php
$archive = new ZipArchive();
if ($archive->open($argv[1], ZipArchive::CREATE | ZipArchive::OVERWRITE) !== true) exit(1);
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('.', FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::SELF_FIRST) as $path) {
    $name = substr($path, 2);
    $path->isDir() ? $archive->addEmptyDir($name) : $archive->addFile($path, $name);
}
if (!$archive->close()) exit(1);
