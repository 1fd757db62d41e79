import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { poll, shownParts, startBrowser, withPage } from '../../support/browser.ts'
import { needs } from '../../support/programs.ts'
import { FULL, fullRows, pageOf } from '../../support/report-page.ts'
import { manyRows, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

describe.skipIf(!needs('chromium'))('the report page in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  const open = (html: Promise<string>, body: (page: Page) => Promise<void>, options = {}): Promise<void> =>
    withPage(browser, html, ({ page }) => body(page), options)
  const words = async (page: Page, selector: string): Promise<string> =>
    (await page.locator(selector).innerText()).replace(/\s+/g, ' ').trim()

  it('begins with three answers, each a heading with its rows behind links', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      expect(await page.locator('.answer h2').allInnerTexts()).toEqual([
        '✗ No: 1 of 4 lines failed, 2 doubtful (Lead 1); 1 file cannot be read and may be about any of them: a.zip!bad.xml',
        'In 483 days (2027-06-30): 6(c) ends, 2 lines',
        '1 supplier, 4 parts, 1 without a declaration',
      ])
      const use = await words(page, '.answer >> nth=0')
      expect(use).toContain('2 not compliant · 1 missing · 1 unreadable')
      expect(use).toContain('✗ gate failed: 3 lines match not-compliant (2), svhc (1), missing (1)')
      expect(use).toContain('waivers.csv: 1 finding waived, 1 waiver has expired, 1 matches nothing')
      const ends = await words(page, '.answer >> nth=1')
      expect(ends).toContain('1 line relies on a date that has passed: 8(b)-I (2021-07-21, in force)')
      expect(ends).not.toMatch(/expired/)
      expect(await words(page, '.answer >> nth=2')).toContain('Example Parts 3')
      await page.click('.answer a:has-text("2027-06-30")')
      await poll(() => shownParts(page)).toEqual(['EX-PASSED', 'EX-AHEAD'])
    })
  })

  it('counts lines in its tabs, and what is on no line beside them', async () => {
    await open(
      pageOf([...sampleRows(), partRowOf({ part: 'P2' })], { product: { P1: 1, P2: 1, P9: 1 } }),
      async (page) => {
        const tabs = await page.locator('#tabs a').allInnerTexts()
        expect(tabs.filter((text) => /Doubtful|Clean/.test(text))).toEqual([
          'Doubtful\n1 + 3',
          'Clean\n2 + 1',
        ])
      },
    )
  })

  it('never says yes beside a doubt, nor of nothing', async () => {
    const first = async (rows: Parameters<typeof pageOf>[0], text: string): Promise<void> =>
      open(pageOf(rows), async (page) =>
        expect(await page.locator('.answer h2').first().innerText()).toBe(text),
      )
    await first([partRowOf()], '✓ Yes, as declared: the only part is clean')
    await first(
      [partRowOf(), partRowOf({ part: 'P2', unaccepted: true })],
      '! Not known: 1 of 2 parts doubtful',
    )
    await first([], '– nothing to judge: no declarations')
  })

  it('has tabs with counts, and the worst rows first', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      expect(await page.locator('#tabs a').allInnerTexts()).toEqual([
        'To decide\n5',
        'To ask for\n3',
        'Ending\n0',
        'Doubtful\n4',
        'Clean\n2',
        'All\n7',
      ])
      expect(await shownParts(page)).toEqual(['P,"3"', 'P9', 'a.zip!bad.xml', '=HYPERLINK("x")', 'spaced'])
      expect(await page.locator('#shown').textContent()).toBe('5 of 7 rows')
      await page.click('#tabs a:has-text("All")')
      await poll(async () => (await shownParts(page)).length).toBe(7)
      expect(await page.locator('tr.row:has-text("HYPERLINK") .about').textContent()).toBe('<b>&amp;')
      expect(await page.locator('#view thead th').allInnerTexts()).toEqual([
        'Part',
        'RoHS',
        'REACH',
        'Why',
        'Supplier',
        'Stated',
      ])
    })
  })

  it('shows ten rows on the first screen of a laptop', async () => {
    await open(
      pageOf(manyRows(300), FULL),
      async (page) => {
        const tenth = (await page.locator('#view tr.row').nth(9).boundingBox())!
        expect(tenth.y + tenth.height).toBeLessThanOrEqual(768)
      },
      { viewport: { width: 1366, height: 768 } },
    )
  })

  it('saves the days on which something ends, and has the letters to suppliers', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#ics')])
      expect(download.suggestedFilename()).toBe('report.ics')
      await page.click('.answer a:has-text("letter")')
      await page.click('.letter summary >> nth=0')
      expect(await page.locator('.letter pre').first().innerText()).toContain(
        'Subject: Material declarations of',
      )
      expect(await page.locator('.letter .mail').first().getAttribute('href')).toMatch(
        /^mailto:\?subject=Material/,
      )
    })
  })

  it('has a page for each part, with the one before and after in the tab', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      await page.click('a.open:text-is("P9")')
      await poll(() => page.locator('#part-title').innerText()).toBe('P9')
      expect(await page.evaluate('document.activeElement.id')).toBe('part-title')
      expect(await page.locator('#rows-section').isVisible()).toBe(false)
      expect(await words(page, '#part .banner')).toBe('○ Doubtful: requested, not declared')
      const text = await words(page, '#part')
      expect(text).toContain('‹ all 7 to decide')
      expect(text).toContain('no supplier is known')
      expect(text).toContain('P9,missing,REASON,OWNER,YYYY-MM-DD')
      await page.click('.way a:has-text("previous")')
      await poll(() => page.locator('#part-title').innerText()).toBe('NEWER')
      expect(await words(page, '#part .banner')).toContain('✗ Failed: Lead over the RoHS threshold')
      await page.click('.way a:has-text("‹ all")')
      await poll(async () => (await shownParts(page)).length).toBe(7)
      expect(await page.evaluate('document.activeElement.textContent')).toBe('NEWER')
    })
    const [twice, other] = [
      partRowOf(),
      partRowOf({ supplier: 'Other', company_id: '1', rohs: 'incomplete' }),
    ]
    const html = pageOf([twice, other])
    const head = async (page: Page): Promise<void> =>
      expect(await page.locator('#part p.sub').first().innerText()).toBe('Resistor · Other')
    await open(html, head, { hash: '#part=P1&row=1' })
    await open(
      html,
      async (page) => expect(await page.locator('#part h2').innerText()).toBe('no row is about GONE'),
      { hash: '#part=GONE' },
    )
  })

  it('shows substances in their order, by columns of their own', async () => {
    const shape = { ...SHAPE, kind: 'substances' } as const
    const row = { material: 'Steel', substance: 'Iron', cas: '7439-89-6', cas_valid: true, source: 'a.xml' }
    const numbers = { material_mass_mg: 1, mass_mg: 1, percent_of_material: 100, ppm_of_part: 10 }
    const substances = [
      { ...row, ...numbers, part: 'B' },
      { ...row, ...numbers, part: 'A', cas_valid: false },
    ]
    const rows = [partRowOf({ part: 'B', rohs: 'not compliant' }), partRowOf({ part: 'A' })]
    const html = pageOf(rows, { shape, substances })
    await open(html, async (page) => {
      const parts = page.locator('#view tbody th')
      expect(await parts.allInnerTexts()).toEqual(['B', 'A'])
      await page.fill('#search', 'false')
      await poll(() => parts.allInnerTexts()).toEqual(['A'])
      // Counts of parts are no filters of substances.
      expect(await page.locator('.verdict').innerText()).toContain('1 of 2 parts failed')
      expect(await page.locator('.verdict a').count()).toBe(0)
    })
  })

  it('draws fifty of 10,000 rows at a time, and finds one of them', async () => {
    await open(pageOf(manyRows(10_000)), async (page) => {
      await page.click('#tabs a:has-text("All")')
      await poll(() => page.locator('#shown').textContent()).toBe('10,000 rows')
      expect(await page.locator('#view tr.row').count()).toBe(50)
      await page.click('thead th:has-text("Part")')
      await page.click('#pages button:has-text("next")')
      await poll(async () => (await shownParts(page))[0]).toBe('PART-000050')
      expect(await page.locator('#pages span').textContent()).toBe('51–100 of 10,000')
      await page.fill('#search', 'part-004242')
      await poll(() => shownParts(page)).toEqual(['PART-004242'])
      expect(await page.locator('#pages').isVisible()).toBe(false)
    })
  })

  it('is readable without scripts', async () => {
    await open(
      pageOf(fullRows(), FULL),
      async (page) => {
        expect(await page.locator('.plain tbody tr').count()).toBe(fullRows().length)
        const failed = page.locator('.plain tbody tr', { hasText: 'P,"3"' })
        expect(await failed.innerText()).toContain('P,"3", Resistor\tfailed\t✗ Lead 8.5 %')
        expect(await page.locator('.needs-script:visible').count()).toBe(0)
        expect(await page.locator('.answer h2').first().innerText()).toContain('No: 1 of 4 lines failed')
        expect(await page.locator('.answer details[open]').count()).toBe(3)
      },
      { javaScriptEnabled: false },
    )
  })

  it('runs no injected script and loads nothing, whatever the rows contain', async () => {
    const evil = '</noscript><script>document.title="owned"</script><img src="https://example.invalid/x.png">'
    const rows = fullRows().map((row) => ({
      ...row,
      part: row.part + evil,
      name: evil,
      supplier: evil,
      notes: [`"'><svg onload=alert(1)>`],
      sources: [evil],
    }))
    const waivers = [{ part: evil, rule: 'svhc', reason: evil, owner: evil, until: '2026-12-31' }]
    const html = pageOf(rows, { failOn: 'svhc', waivers, product: { [`P9${evil}`]: 1, [evil]: 2 } })
    await open(html, async (page) => {
      await page.click('#tabs a:has-text("All")')
      const clean = async (): Promise<void> => {
        expect(await page.locator('img, svg[onload]').count()).toBe(0)
        expect(await page.title()).not.toBe('owned')
      }
      await clean()
      expect(await page.locator('td.of-supplier').first().innerText()).toContain(evil)
      await page.click('a.open >> nth=0')
      await poll(() => page.locator('#part-title').innerText()).toContain(evil)
      await clean()
    })
  })
})
