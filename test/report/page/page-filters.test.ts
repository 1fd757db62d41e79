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

  it('searches all rows, filters, sorts, and says how many there are', () =>
    withPage(browser, sample, async ({ page }) => {
      await page.fill('#search', '00012 exempt')
      await poll(() => shownParts(page)).toEqual(['00012'])
      expect(await page.getByRole('status').textContent()).toBe('1 of 7 rows')
      expect(await page.locator('#tabs [aria-current]').innerText()).toBe('All\n1')
      await page.click('#tabs a:has-text("Doubtful")')
      await poll(() => page.locator('td.empty').textContent()).toBe(
        'none of the 1 matching rows is in this tab',
      )
      await page.click('#chips .remove')
      await poll(async () => (await shownParts(page)).length).toBe(4)
      await page.click('#tabs a:has-text("All")')
      await page.click('thead button:text-is("Part")')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('ascending')
      const sorted = ['=HYPERLINK("x")', '00012', 'a.zip!bad.xml', 'P,"3"', 'P1', 'P9', 'spaced']
      await poll(async () => (await shownParts(page)).toSorted()).toEqual(sorted.toSorted())
      const ascending = await shownParts(page)
      await page.click('thead button:text-is("Part")')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('descending')
      await poll(() => shownParts(page)).toEqual(ascending.toReversed())
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
    ['1 not compliant', ['P,"3"'], 'finding=not-compliant'],
    ['1 missing', ['P9'], 'finding=missing'],
    ['1 unreadable', ['a.zip!bad.xml'], 'finding=unreadable'],
    ['with an SVHC', ['P,"3"'], 'svhc=with SVHC'],
  ])('filters on a click on %s', (text, parts, address) =>
    withPage(browser, sample, async ({ page }) => {
      await page.click(`.answer a:has-text("${text}")`)
      await poll(() => shownParts(page)).toEqual(parts)
      expect(hash(page).replace('+', ' ')).toBe(address)
      await page.click('#chips .remove')
      await poll(() => shownParts(page).then((all) => all.length)).toBe(5)
      await poll(async () => hash(page)).toBe('')
    }),
  )

  it('filters on a click on the gate, as a whole and by rule', () =>
    withPage(browser, pageOf(fullRows(), FULL), async ({ page }) => {
      await page.click('.answer a:has-text("gate failed")')
      await poll(() => shownParts(page)).toEqual(['P,"3"', 'NEWER', 'P9'])
      await page.click('.answer a:has-text("missing (1)")')
      await poll(() => shownParts(page)).toEqual(['P9'])
      await page.click('.answer a:has-text("waived")')
      await poll(() => shownParts(page)).toEqual(['WAIVED-1'])
    }))

  it('keeps its state in the address, which opens the same rows again', async () => {
    let address = ''
    await withPage(
      browser,
      sample,
      async ({ page }) => {
        await page.fill('#search', 'resistor')
        await page.click('thead button:text-is("Part")')
        await page.click('thead button:text-is("Part")')
        await poll(async () => hash(page)).toBe('list=EUREACH-0624&q=resistor&sort=-part')
        address = page.url().split('#')[1]!
        expect(await shownParts(page)).toEqual(['P1', 'P,"3"', '00012'])
      },
      { hash: '#list=EUREACH-0624' },
    )
    const again = async ({ page }: { page: Page }): Promise<void> => {
      expect(await shownParts(page)).toEqual(['P1', 'P,"3"', '00012'])
      expect(await page.inputValue('#search')).toBe('resistor')
      expect(await page.locator('thead th').first().getAttribute('aria-sort')).toBe('descending')
    }
    await withPage(browser, sample, again, { hash: `#${address}` })
  })

  it('ignores what it does not know in the address, and follows back and forward', () =>
    withPage(
      browser,
      sample,
      async ({ page }) => {
        expect((await shownParts(page)).length).toBe(5)
        await page.click('.answer a:has-text("1 missing")')
        await poll(() => shownParts(page)).toEqual(['P9'])
        await page.goBack()
        await poll(() => shownParts(page).then((all) => all.length)).toBe(5)
        await page.goForward()
        await poll(() => shownParts(page)).toEqual(['P9'])
      },
      { hash: '#constructor=x&sort=__proto__&tab=toString&other=1&page=-3' },
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
      await page.click('#tabs a:has-text("All")')
      const all = await saved(page)
      expect(all.name).toBe('report-rows.csv')
      const exact = (await formatAll(csvFormatter(SHAPE), rows)).toString()
      expect(all.text.split('\r\n')[0]).toBe(exact.split('\r\n')[0])
      expect(all.text).toContain(`"'=HYPERLINK(""x"")"`)
      for (const text of ["'=1+1", "'+x", "'@SUM(A1)", "a;'=b", "'\uff1dx"]) expect(all.text).toContain(text)
      expect(all.text).toMatch(/\r\n-5,,-5,/)
      await page.click('.answer a:has-text("1 missing")')
      await poll(() => shownParts(page)).toEqual(['P9'])
      const [heading, row, end] = (await saved(page)).text.split('\r\n')
      expect([heading!.split(',')[0], row!.split(',')[0], end]).toEqual(['part', 'P9', ''])
    })
  })

  it('saves more rows than it draws', async () => {
    const rows = manyRows(300).map((row) => ({ ...row, svhc_count: null, reach_list: '' }))
    const all = async ({ page }: { page: Page }): Promise<void> => {
      const exact = (await formatAll(csvFormatter(SHAPE), rows)).toString()
      expect(lines((await saved(page)).text)).toEqual(lines(exact))
    }
    await withPage(browser, pageOf(rows), all, { hash: '#tab=all' })
  })
})
