import type { Browser, Locator, Page } from 'playwright-core'
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

  const fillsOf = async (of: Locator): Promise<ReadonlySet<string | null>> =>
    new Set(await of.locator('rect').evaluateAll((rects) => rects.map((one) => one.getAttribute('fill'))))

  it('begins with the verdict, and shows the worst rows first', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      expect(await page.locator('main > :first-child').innerText()).toMatch(
        /1 of 6 parts failed, 3 doubtful; 1 file unreadable\s+1 not compliant · 1 missing · 1 unreadable · 1 incomplete · 1 without a RoHS list · 1 without a Candidate List · 1 with SVHC · 1 with exemptions/,
      )
      expect(await page.locator('#shown').textContent()).toBe('7 of 7 rows')
      const last = ['spaced', '00012', 'P1']
      expect(await shownParts(page)).toEqual(['P,"3"', 'P9', 'a.zip!bad.xml', '=HYPERLINK("x")', ...last])
      expect(await page.locator('tr.row:has-text("HYPERLINK") .of-part .sub').textContent()).toBe('<b>&amp;')
    })
  })

  it('begins with the product where there is one', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      expect(await page.locator('main > :first-child').innerText()).toMatch(
        /board\.csv: RoHS not compliant; REACH: SVHC: 1 of 4 lines failed, 2 doubtful\s+2 not compliant · 1 missing/,
      )
      const product = page.locator('#product')
      const text = (await product.innerText()).replace(/\s+/g, ' ')
      expect(text).toContain('exemption 6(c) (2027-06-30) EX-AHEAD, EX-PASSED')
      expect(text).toContain('exemption 8(b)-I EX-PASSED; nominal date passed 2021-07-21, in force')
      expect(text).toContain('P9 (1 missing)')
      await product.locator('a:has-text("P9")').first().click()
      await poll(() => shownParts(page)).toEqual(['P9'])
    })
  })

  it('has the columns that matter first, and no empty ones', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      expect(await page.locator('#view thead th').allInnerTexts()).toEqual([
        'Part',
        'RoHS status',
        'Remarks',
        'SVHCs',
        'Exemptions and dates',
        'Supplier',
        'Declared on',
        'Mass (mg)',
      ])
    })
    await open(pageOf([partRowOf({ mass_mg: null, svhc_count: null })]), async (page) => {
      const headings = await page.locator('#view thead th').allInnerTexts()
      expect(headings).not.toContain('Exemptions and dates')
      expect(headings).not.toContain('Mass (mg)')
    })
  })

  it('lists the exemptions in use with their dates, the confidence in these, parts and sources', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      const rows = await page.locator('#exemptions tbody tr').allInnerTexts()
      const words = rows.map((row) => row.replace(/\s+/g, ' ').trim())
      expect(words[0]).toBe(
        '8(b)-I 2021-07-21 nominal date passed, in force date not confirmed 1 EX-PASSED Annex III sources',
      )
      expect(words[1]).toBe(
        '6(c) 2027-06-30 in force (renewal announced) date not confirmed 2 EX-AHEAD, EX-PASSED Annex III; declared as III-6c sources',
      )
      expect(words[2]).toMatch(/^8\(b\) not judged 1 EX-UNKNOWN/)
      await page.locator('#exemptions summary').first().click()
      expect(await page.locator('#exemptions details').first().innerText()).toContain('Act of 2025')
      const text = await page.locator('main').innerText()
      expect(text).toContain('exemptions.csv (newest date 2027-06-30, checked 2026-01-31)')
      expect(words.join()).not.toMatch(/expired/i)
      await page.click('#exemptions a:text-is("6(c)")')
      await poll(() => shownParts(page)).toEqual(['EX-PASSED', 'EX-AHEAD'])
      const dates = page.locator('tr.row:has-text("EX-PASSED") .of-exemptions .sub')
      expect(await dates.textContent()).toBe('2021-07-21: nominal date passed')
    })
  })

  it('shows what the gate found and what was waived', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      expect(await page.locator('.gate').innerText()).toMatch(
        /gate failed: 3 rows match not-compliant \(2\), svhc \(1\), missing \(1\)\s+waivers.csv: 1 finding waived, 1 waiver has expired, 1 matches nothing/,
      )
      expect(await page.locator('section:has(#waivers-title) tbody tr').allInnerTexts()).toEqual([
        'NEWER\tnot-compliant\thas expired\t2026-01-31\twas replaced\tJo',
        'GONE\tsvhc\tmatches nothing\t2026-12-31\tnot used\tJo',
        'WAIVED-1\tsvhc\tin use\t2026-12-31\tlast time buy\tJo',
      ])
      await page.click('.gate a:has-text("waived")')
      await poll(() => shownParts(page)).toEqual(['WAIVED-1'])
      expect(await page.locator('.word.waived').textContent()).toBe(
        'svhc (waived until 2026-12-31: last time buy)',
      )
    })
    await open(pageOf(sampleRows().slice(0, 1), { failOn: 'svhc' }), async (page) => {
      expect(await page.locator('.gate').innerText()).toContain('gate passed: no rows match svhc')
    })
  })

  it('has a legend and one scale below the ages of lists', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      const chart = page.locator('figure:has-text("Age of declared lists")')
      expect(await chart.locator('.axis text').allTextContents()).toEqual(['0', '4', '8 years'])
      expect(await chart.locator('.key li').count()).toBe(4)
      const widths = await chart
        .locator('.bar .tone')
        .evaluateAll((bars) => bars.map((bar) => Number.parseFloat(bar.getAttribute('width') ?? '')))
      expect(widths.map(Math.round)).toEqual([22, 83, 90])
    })
  })

  it('draws the exemptions on a line of time, and the suppliers to ask first, each a link to its rows', async () => {
    await open(pageOf(fullRows(), FULL), async (page) => {
      const dates = page.locator('figure:has-text("Exemptions in use")')
      const lanes = await dates.locator('li:has(.bar)').allInnerTexts()
      expect(lanes.map((lane) => lane.replace(/\s+/g, ' ').trim())).toEqual([
        '8(b)-I 2021-07-21, 1 part: nominal date passed, in force',
        '6(c) 2027-06-30, 2 parts: in force (renewal announced)',
      ])
      expect(await dates.innerText()).toContain('no date known, not judged: 8(b)')
      const tones = dates.locator('.bar .tone')
      expect(await tones.evaluateAll((bars) => bars.map((bar) => bar.getAttribute('class')))).toEqual([
        'tone warn',
        'tone fair',
      ])
      const suppliers = page.locator('figure:has-text("by supplier")')
      await suppliers.locator('a').first().click()
      await poll(async () => (await shownParts(page)).length).toBeGreaterThan(0)
      expect(await page.locator('#chips').innerText()).toContain('supplier: ')
    })
  })

  it('tells tones apart without colors, and says the bar of verdicts in words', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      const bar = page.getByRole('img', { name: 'Rows by verdict' })
      expect(await bar.locator('desc').textContent()).toBe('1 failed, 4 doubtful, 2 clean')
      expect(await fillsOf(bar)).toEqual(new Set([null, 'url(#fill-warn)', 'url(#fill-good)']))
    })
    await open(pageOf(fullRows(), FULL), async (page) => {
      const dates = page.locator('figure:has-text("Exemptions in use") .bar')
      expect(await fillsOf(dates)).toEqual(new Set([null, 'url(#fill-warn)', 'url(#fill-fair)']))
    })
  })

  it('shows all columns of a row in a dialog', async () => {
    await open(pageOf(sampleRows()), async (page) => {
      await page.click('button.open:text-is(\'P,"3"\')')
      expect(await page.locator('dialog').textContent()).toContain('Lead (00167, 0.25 %); DEHP (00009)')
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog').isVisible()).toBe(false)
    })
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
      expect(await shownParts(page)).toEqual(['B', 'A'])
      await page.selectOption('#filter-cas_valid', 'false')
      await poll(() => shownParts(page)).toEqual(['A'])
      // Counts of parts are no filters of substances.
      expect(await page.locator('.verdict').innerText()).toContain('1 of 2 parts failed')
      expect(await page.locator('.verdict a, .tiles a, figure a').count()).toBe(0)
    })
  })

  it('draws fifty of 10,000 rows at a time', async () => {
    const rows = manyRows(10_000)
    await open(pageOf(rows), async (page) => {
      expect(await page.locator('#shown').textContent()).toBe('10,000 of 10,000 rows')
      expect(await page.locator('#view tr.row').count()).toBe(50)
      await page.click('thead th:has-text("Part")')
      await page.click('#pages button:has-text("next")')
      await poll(async () => (await shownParts(page))[0]).toBe('PART-000050')
      expect(await page.locator('#pages span').textContent()).toBe('51–100 of 10,000')
      expect(await page.locator('#pages button').first().isEnabled()).toBe(true)
      await page.click('thead button:text-is("Mass (mg)")')
      const lightest = rows.reduce((a, b) => (a.massMg! <= b.massMg! ? a : b))
      await poll(async () => (await shownParts(page))[0]).toBe(lightest.part)
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
        expect(await page.locator('.plain tbody tr').nth(2).locator('td').first().textContent()).toBe('P,"3"')
        expect(await page.locator('#controls').isVisible()).toBe(false)
        expect(await page.locator('figure').count()).toBe(4)
        expect(await page.locator('.banner.verdict').innerText()).toContain('not compliant')
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
      note: `"'><svg onload=alert(1)>`,
      svhc_names: [evil],
      svhc_count: 1,
      rohs_list: evil,
      exemption_ids: [{ identity: evil, list: evil }],
    }))
    const waivers = [{ part: evil, rule: 'svhc', reason: evil, owner: evil, until: '2026-12-31' }]
    const html = pageOf(rows, { failOn: 'svhc', waivers, product: { [`P9${evil}`]: 1, [evil]: 2 } })
    await open(html, async (page) => {
      expect(await page.title()).toBe('Material declarations')
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.locator('svg[onload]').count()).toBe(0)
      expect(await page.locator('.of-supplier .text').first().textContent()).toBe(evil)
    })
  })
})
