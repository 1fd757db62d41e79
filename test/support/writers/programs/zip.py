import os, sys, zipfile
# A pipe as standard output makes it write data descriptors.
with zipfile.ZipFile(sys.argv[1] if len(sys.argv) > 1 else sys.stdout.buffer, 'w', zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk('.'):
        for name in names:
            archive.write(os.path.join(folder, name))
