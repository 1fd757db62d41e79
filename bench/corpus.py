"""Makes the inputs of the benchmark, the same for the same seed: python3 corpus.py KIND TARGET [NUMBER]

Archives come from several writers: Python's zipfile, Info-ZIP, 7-Zip and Java's jar.
"""
import csv, os, random, shutil, subprocess, sys, tempfile, zipfile

RANDOM = random.Random(1752)
SYLLABLES = 'meth eth prop but phen chlor brom fluor ox amid ester acid sodium lead cobalt chromium phthal benz tri di hexa'.split()
THRESHOLDS = ['0.1% by weight (1 000 ppm) of any article', '0.1% by weight (1 000 ppm) of homogeneous materials', '0.1 mass% of article']
GAPS = [' ', '\n            ', '  ', '\n\t\t', '\r\n            ']
DATE = (2026, 1, 2, 3, 4, 6)


def chemical():
    word = lambda: ''.join(RANDOM.choice(SYLLABLES) for _ in range(RANDOM.randint(2, 4)))
    return ' '.join(word() for _ in range(RANDOM.randint(2, 6))).capitalize()


def category(index):
    gap = RANDOM.choice(GAPS)
    return (
        f'        <SubstanceCategory{gap}name="{chemical()}"{gap}reportableApplication="All">\n'
        f'          <Threshold overThreshold="false"{gap}threshold="{RANDOM.choice(THRESHOLDS)}"/>\n'
        f'          <SubstanceCategoryID{gap}identity="{index % 500:05d}" authority="IPC"/>\n'
        f'        </SubstanceCategory>\n'
    )


CATEGORIES = [category(index) for index in range(2000)]


def declaration(part, size):
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0" version="2.0">\n'
        '  <BusinessInfo mode="Distribute">\n    <Response date="2024-09-27">\n      <SupplyCompany name="Example Parts">\n'
        '        <CompanyID identity="123456789" authority="DUNS"/>\n      </SupplyCompany>\n    </Response>\n  </BusinessInfo>\n'
        f'  <Product unitType="Each">\n    <ProductID itemNumber="{part}" itemName="Part {part}"><Amount value="100" UOM="mg"/></ProductID>\n'
        '    <MaterialInfo>\n      <SubstanceCategoryList>\n        <SubstanceCategoryListID identity="EUREACH-0624" authority="IPC"/>\n'
    )
    tail = '      </SubstanceCategoryList>\n    </MaterialInfo>\n  </Product>\n</MainDeclaration>\n'
    body, length = [], len(head) + len(tail)
    while length < size:
        body.append(RANDOM.choice(CATEGORIES))
        length += len(body[-1])
    return (head + ''.join(body) + tail).encode()


def noise(size):
    return RANDOM.randbytes(size)


def add(archive, name, data, packed=True):
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    archive.writestr(entry, data)


def pack(writer, folder, target):
    """Packs a folder with one of the writers."""
    command = {
        'zip': ['zip', '-qr', target, '.'],
        '7zz': ['7zz', 'a', '-tzip', '-mx=5', '-bso0', '-bsp0', target, '.'],
        'jar': ['jar', 'cMf', target, '.'],
    }[writer]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def many(target, count):
    """Many small entries."""
    with zipfile.ZipFile(target, 'w') as archive:
        for index in shuffled(count):
            add(archive, f'decl/part-{index:06d}.xml', f'<r n="{index}"/>')


def declarations(target, count):
    """Declarations of 10 to 32 kB, packed by each writer: TARGET.python.zip and so on."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as folder:
        os.mkdir(f'{folder}/decl')
        with zipfile.ZipFile(f'{target}.python.zip', 'w') as archive:
            for index in shuffled(count):
                data = declaration(f'PN-{index:06d}', RANDOM.randint(10_700, 32_100))
                add(archive, f'decl/part-{index:06d}.xml', data)
                with open(f'{folder}/decl/part-{index:06d}.xml', 'wb') as file:
                    file.write(data)
        for writer in ('zip', '7zz', 'jar'):
            if shutil.which(writer):
                pack(writer, folder, f'{target}.{writer}.zip')


def large(target, mebibytes):
    """One entry, deflated."""
    block = b''.join(declaration(f'PN-{index}', 32_768) for index in range(512))[: 16 << 20]
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open('declaration.xml', 'w', force_zip64=True) as entry:
            for _ in range(max(1, mebibytes // 16)):
                entry.write(block)


def parts(target, count):
    """COUNT archives of 250 declarations each for merging, stored and deflated, every tenth by 7-Zip."""
    os.mkdir(target)
    data = noise(1 << 20)
    for number in range(count):
        files = {}
        for index in range(250):
            size = RANDOM.randint(5_000, 16_000)
            start = RANDOM.randrange(len(data) - size)
            files[f'part-{number * 250 + index:06d}.xml'] = data[start : start + size]
        path = f'{target}/{number:06d}.zip'
        if number % 10 == 9 and shutil.which('7zz'):
            with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as folder:
                for name, content in files.items():
                    with open(f'{folder}/{name}', 'wb') as file:
                        file.write(content)
                pack('7zz', folder, path)
        else:
            with zipfile.ZipFile(path, 'w') as archive:
                for name, content in files.items():
                    add(archive, name, content, packed=number % 2 == 0)


def stored(target, mebibytes):
    """One stored entry of noise; ZIP64 where the size needs it."""
    block = noise(1 << 20)
    with zipfile.ZipFile(target, 'w') as archive:
        with archive.open(zipfile.ZipInfo('declarations.bin', DATE), 'w', force_zip64=mebibytes >= 4096) as entry:
            for _ in range(mebibytes):
                entry.write(block)


def list_of_parts(target, count):
    """A CSV list of part numbers, as a spreadsheet exports it."""
    with open(target, 'w', newline='') as file:
        rows = csv.writer(file)
        rows.writerow(['Position', 'Part Number', 'Description', 'Qty'])
        for position, index in enumerate(shuffled(count)):
            number = f'PN-{index:07d}-{RANDOM.randrange(999)}'
            rows.writerow([position, number, f'Capacitor {RANDOM.randrange(100)} uF, {chemical()}', RANDOM.randrange(50)])


def shuffled(count):
    numbers = list(range(count))
    RANDOM.shuffle(numbers)
    return numbers


KINDS = {'many': many, 'declarations': declarations, 'large': large, 'parts': parts, 'stored': stored, 'list': list_of_parts}
KINDS[sys.argv[1]](os.path.abspath(sys.argv[2]), int(sys.argv[3]))
