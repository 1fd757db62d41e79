import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { junitFormatter } from '../../../src/report/formats/junit.ts'
import { missingRow, unreadableRow } from '../../../src/report/rows/report-row.ts'
import { needs } from '../../support/programs.ts'
import { formatAll, gateOf, partRowOf, SHAPE } from '../../support/report-rows.ts'
import { withFolder } from '../../support/world.ts'

const WAIVED = 'svhc (waived until 2027-01-31: last time buy)'
const ROWS = [
  partRowOf({ part: 'GOOD' }),
  partRowOf({ part: 'BAD', rohs: 'not compliant', gate: 'not-compliant', note: 'Lead over' }),
  partRowOf({ part: 'ACCEPTED', gate: WAIVED }),
  partRowOf({ part: 'BOTH', gate: `not-compliant; ${WAIVED}` }),
  partRowOf({ part: 'OLD', status: 'superseded', gate: '' }),
  partRowOf({ part: '', requester_part: 'YOURS' }),
  { ...missingRow('GONE', ['requested, not declared']), gate: gateOf('missing') },
  unreadableRow('a.zip!bad.xml', 'not well-formed'),
]

let xml = ''
beforeAll(async () => {
  xml = (
    await formatAll(junitFormatter(SHAPE), ROWS, { failOn: 'not-compliant,missing,unreadable' })
  ).toString()
})

// What the schema of Jenkins' xUnit plugin (junit-10.xsd) allows, as far as the report uses it.
const ALLOWED: Readonly<
  Record<string, { in: string; attributes: readonly string[]; required: readonly string[] }>
> = {
  testsuites: {
    in: '',
    attributes: ['name', 'time', 'tests', 'failures', 'errors', 'disabled'],
    required: [],
  },
  testsuite: {
    in: 'testsuites',
    attributes: [
      'name',
      'tests',
      'failures',
      'errors',
      'time',
      'skipped',
      'timestamp',
      'hostname',
      'id',
      'file',
    ],
    required: ['name', 'tests', 'failures', 'errors'],
  },
  testcase: {
    in: 'testsuite',
    attributes: ['name', 'time', 'classname', 'file', 'line'],
    required: ['name'],
  },
  failure: { in: 'testcase', attributes: ['type', 'message'], required: [] },
  error: { in: 'testcase', attributes: ['type', 'message'], required: [] },
  skipped: { in: 'testcase', attributes: ['type', 'message'], required: [] },
}

describe('JUnit XML', () => {
  it('has only elements and attributes of the schema of Jenkins', () => {
    const open: string[] = []
    for (const [, end, element = '', attributes = '', empty] of xml.matchAll(/<(\/?)(\w+)([^<>]*?)(\/?)>/g)) {
      if (end === '/') {
        expect(open.pop()).toBe(element)
        continue
      }
      const names = [...attributes.matchAll(/ (\w+)="/g)].map(([, name]) => name!)
      expect(ALLOWED[element]?.in, element).toBe(open.at(-1) ?? '')
      expect(ALLOWED[element]!.attributes, element).toEqual(expect.arrayContaining(names))
      expect(names, element).toEqual(expect.arrayContaining([...ALLOWED[element]!.required]))
      if (empty === '') open.push(element)
    }
    expect(open).toEqual([])
  })

  it('names supplier, part and file', () => {
    expect(xml).toContain('<testcase classname="Example Parts" name="GOOD" file="a.zip!p1.xml" time="0"/>')
    expect(xml).toContain('classname="Example Parts" name="YOURS"')
    expect(xml).toContain('<testcase classname="missing" name="GONE" time="0"><failure')
    expect(xml).toContain(
      '<testcase classname="unreadable" name="a.zip!bad.xml" file="a.zip!bad.xml" time="0"><error',
    )
  })

  it('skips what is waived, with the reason, and fails what is waived in part', () => {
    expect(xml).toContain(
      `name="ACCEPTED" file="a.zip!p1.xml" time="0"><skipped type="waived" message="${WAIVED}"`,
    )
    expect(xml).toMatch(/name="BOTH"[^>]*><failure type="not-compliant"/)
    expect(xml).toContain('tests="7" failures="3" errors="1" skipped="1"')
    expect(xml).not.toContain('OLD')
  })
})

const run = promisify(execFile)

describe.skipIf(!needs('xmllint'))('JUnit XML in xmllint', () => {
  it('is well-formed', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'junit.xml'), xml)
      const { stderr } = await run('xmllint', ['--noout', join(folder, 'junit.xml')])
      expect(stderr).toBe('')
    })
  })
})

// Debian's module belongs to Debian's Python.
const PYTHON = '/usr/bin/python3'
const hasParser = await run(PYTHON, ['-c', 'import junitparser']).then(
  () => true,
  () => false,
)

describe.skipIf(!hasParser)('JUnit XML in junitparser', () => {
  it('is read as it was meant', async () => {
    const script = `
import json, sys
from junitparser import JUnitXml
cases = [case for suite in JUnitXml.fromfile(sys.argv[1]) for case in suite]
print(json.dumps([[c.classname, c.name, [type(r).__name__ for r in c.result]] for c in cases]))
`
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'junit.xml'), xml)
      const { stdout } = await run(PYTHON, ['-c', script, join(folder, 'junit.xml')])
      expect(JSON.parse(stdout)).toEqual([
        ['Example Parts', 'GOOD', []],
        ['Example Parts', 'BAD', ['Failure']],
        ['Example Parts', 'ACCEPTED', ['Skipped']],
        ['Example Parts', 'BOTH', ['Failure']],
        ['Example Parts', 'YOURS', []],
        ['missing', 'GONE', ['Failure']],
        ['unreadable', 'a.zip!bad.xml', ['Error']],
      ])
    })
  })
})
