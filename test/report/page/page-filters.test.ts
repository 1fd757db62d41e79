import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csvFormatter } from '../../../src/report/formats/delimited.ts'
import { poll, shownParts, startBrowser, withPage } from '../../support/browser.ts'
import { needs } from '../../support/programs.ts'
import { FULL, fullRows, pageOf } from '../../support/report-page.ts'
import { formatAll, manyRows, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

describe.skipIf(!needs('chromium'))('filters of the report page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  const sample = pageOf(sampleRows())
  const hash = (page: Page): string => decodeURIComponent(page.url().split('#')[1] ?? '')

  it('searches, filters, sorts and shows all again', () =>
    withPage(browser, sample, async ({ page }) => {
      await page.fill('#search', 'lead exempt')
      await poll(() => shownParts(page)).toEqual(['00012'])
      await page.fill('#search', '')
      await page.selectOption('#filter-verdict', 'failed')
      await poll(() => shownParts(page)).toEqual(['P,"3"'])
      await page.click('#reset')
      await page.selectOption('#filter-svhc', 'with SVHC')
      await poll(() => shownParts(page)).toEqual(['P,"3"'])
      await page.click('#chips .remove')
      await page.click('thead button:text-is("Part")')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('ascending')
      const sorted = ['spaced', '=HYPERLINK("x")', '00012', 'a.zip!bad.xml', 'P,"3"', 'P1', 'P9']
      await poll(() => shownParts(page)).toEqual(sorted)
      await page.click('thead button:text-is("Part")')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('descending')
      await poll(async () => (await shownParts(page)).at(-1)).toBe('spaced')
      await page.fill('#search', 'no such thing')
      await poll(() => page.locator('td.empty').textContent()).toBe('no matching rows')
      expect(await page.locator('#csv').isDisabled()).toBe(true)
    }))

  it.each([
    ['supplier=ACME', ['P1']],
    ['list=EUROHS-1907', ['P1', 'P2']],
  ])('with the history, %s has as many rows as are counted', (hash, parts) => {
    const rows = [
      partRowOf({ part: 'P1', supplier: 'ACME' }),
      { ...partRowOf({ part: 'P1', supplier: 'ACME' }), status: 'superseded' as const },
      { ...partRowOf({ part: 'TOP', supplier: 'ACME' }), status: 'assembly' as const },
      partRowOf({ part: 'P2', supplier: 'Other' }),
    ]
    const show = async ({ page }: { readonly page: Page }): Promise<void> =>
      poll(() => shownParts(page)).toEqual(parts)
    return withPage(browser, pageOf(rows), show, { hash: `#${hash}` })
  })

  it.each([
    ['.tiles a:has-text("failed")', ['P,"3"'], 'verdict=failed'],
    [
      '.tiles a:has-text("doubtful")',
      ['P9', 'a.zip!bad.xml', '=HYPERLINK("x")', 'spaced'],
      'verdict=doubtful',
    ],
    ['.tiles a:has-text("clean")', ['00012', 'P1'], 'verdict=clean'],
    ['.verdict a:has-text("1 not compliant")', ['P,"3"'], 'finding=not-compliant'],
    ['.verdict a:has-text("with SVHC")', ['P,"3"'], 'finding=svhc'],
    ['.verdict a:has-text("1 missing")', ['P9'], 'finding=missing'],
    ['.verdict a:has-text("1 unreadable")', ['a.zip!bad.xml'], 'finding=unreadable'],
    ['.verdict a:has-text("with exemptions")', ['00012'], 'finding=exemption'],
    ['figure a:has-text("DEHP")', ['P,"3"'], 'substance=DEHP'],
    ['figure a:has-text("EUREACH-0119")', ['=HYPERLINK("x")'], 'list=EUREACH-0119'],
  ])('filters on a click on %s, and takes the filter out on another', (link, parts, address) =>
    withPage(browser, sample, async ({ page }) => {
      await page.click(link)
      await poll(() => shownParts(page)).toEqual(parts)
      expect(hash(page)).toBe(address)
      expect(await page.locator(link).getAttribute('aria-current')).toBe('true')
      await page.click(link)
      await poll(() => shownParts(page).then((all) => all.length)).toBe(7)
      await poll(async () => hash(page)).toBe('')
    }),
  )

  it('filters on a click on the gate, as a whole and by rule', () =>
    withPage(browser, pageOf(fullRows(), FULL), async ({ page }) => {
      await page.click('.gate a:has-text("gate failed")')
      await poll(() => shownParts(page)).toEqual(['P,"3"', 'NEWER', 'P9'])
      await page.click('.gate a:has-text("missing")')
      await poll(() => shownParts(page)).toEqual(['P9'])
      await page.selectOption('#filter-gate', '')
      await page.selectOption('#filter-exemption', '6(c)')
      await poll(() => shownParts(page)).toEqual(['EX-PASSED', 'EX-AHEAD'])
    }))

  it('keeps its state in the address, which opens the same rows again', async () => {
    let address = ''
    await withPage(browser, sample, async ({ page }) => {
      await page.fill('#search', 'resistor')
      await page.selectOption('#filter-list', 'EUREACH-0624')
      await page.click('thead button:text-is("Part")')
      await page.click('thead button:text-is("Part")')
      await poll(async () => hash(page)).toBe('q=resistor&list=EUREACH-0624&sort=-part')
      address = page.url().split('#')[1]!
      expect(await shownParts(page)).toEqual(['P1', 'P,"3"', '00012'])
    })
    const again = async ({ page }: { page: Page }): Promise<void> => {
      expect(await shownParts(page)).toEqual(['P1', 'P,"3"', '00012'])
      expect(await page.inputValue('#search')).toBe('resistor')
      expect(await page.inputValue('#filter-list')).toBe('EUREACH-0624')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('descending')
    }
    await withPage(browser, sample, again, { hash: `#${address}` })
  })

  it('ignores what it does not know in the address, and follows back and forward', () =>
    withPage(
      browser,
      sample,
      async ({ page }) => {
        expect((await shownParts(page)).length).toBe(7)
        await page.click('.verdict a:has-text("1 missing")')
        await poll(() => shownParts(page)).toEqual(['P9'])
        await page.goBack()
        await poll(() => shownParts(page).then((all) => all.length)).toBe(7)
        await page.goForward()
        await poll(() => shownParts(page)).toEqual(['P9'])
      },
      { hash: '#constructor=x&sort=__proto__&other=1&page=-3' },
    ))

  const saved = async (page: Page): Promise<{ readonly name: string; readonly text: string }> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#csv')])
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
  }
  const lines = (text: string): string[] => text.split('\r\n').sort()

  it('saves the filtered rows as CSV, as the CSV format writes them', async () => {
    const formulas = [
      '=1+1',
      '+x',
      '-5',
      '@SUM(A1)',
      '\t=x',
      'a;=b',
      '"quoted", and\r\n=two',
      '\uff1dx',
      "'",
      '-1e3',
    ]
    const rows = [
      ...sampleRows(),
      ...formulas.map((name) => partRowOf({ part: name, name, rohs: 'incomplete' })),
    ]
    await withPage(browser, pageOf(rows), async ({ page }) => {
      const all = await saved(page)
      expect(all.name).toBe('report-rows.csv')
      const exact = (await formatAll(csvFormatter(SHAPE), rows)).toString()
      expect(all.text.split('\r\n')[0]).toBe(exact.split('\r\n')[0])
      expect(all.text).toContain(`"'=HYPERLINK(""x"")"`)
      for (const text of ["'=1+1", "'+x", "'@SUM(A1)", "a;'=b", "'\uff1dx"]) expect(all.text).toContain(text)
      expect(all.text).toMatch(/\r\n-5,,-5,/)
      await page.selectOption('#filter-rohs', 'missing')
      const [heading, row, end] = (await saved(page)).text.split('\r\n')
      expect([heading!.split(',')[0], row!.split(',')[0], end]).toEqual(['part', 'P9', ''])
    })
  })

  it('saves more rows than it draws', async () => {
    const rows = manyRows(300).map((row) => ({ ...row, svhc_count: null, reach_list: '' }))
    await withPage(browser, pageOf(rows), async ({ page }) => {
      const exact = (await formatAll(csvFormatter(SHAPE), rows)).toString()
      expect(lines((await saved(page)).text)).toEqual(lines(exact))
    })
  })
})
