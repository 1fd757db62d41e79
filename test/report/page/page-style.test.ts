import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { poll, shownParts, startBrowser, withPage } from '../../support/browser.ts'
import { needs } from '../../support/programs.ts'
import { FULL, fullRows, pageOf } from '../../support/report-page.ts'
import { manyRows, partRowOf, SHAPE } from '../../support/report-rows.ts'
import { sweep } from '../../support/soak.ts'

const HTML = pageOf(fullRows(), FULL)
const WIDTHS = [390, 800, 1440]

describe.skipIf(!needs('chromium'))('the look of the report page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  /** What axe-core complains about, by rule and element. */
  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe.source)
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run(document, { resultTypes: ["violations"] })',
    )
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 150)}`),
    )
  }

  const THEMES = ['light', 'dark'] as const
  const LOOKS = THEMES.flatMap((colorScheme) => WIDTHS.map((width) => ({ colorScheme, width })))
  // In the suite dark on a desk and light on a phone.
  it.each(LOOKS.filter((_, index) => index % sweep(5, 1) === 0))(
    'has no barrier that axe-core finds: $colorScheme, $width px',
    ({ colorScheme, width }) =>
      withPage(browser, HTML, async ({ page }) => expect(await violations(page)).toEqual([]), {
        colorScheme,
        viewport: { width, height: 900 },
      }),
  )

  it.each(THEMES.slice(sweep(1, 0)))(
    'has no barrier in the legend, a filter and the dialog: %s',
    (colorScheme) =>
      withPage(
        browser,
        HTML,
        async ({ page }) => {
          await page.click('#words summary')
          await page.click('.verdict a:has-text("1 missing")')
          expect(await violations(page)).toEqual([])
          await page.click('button.open')
          expect(await violations(page)).toEqual([])
        },
        { colorScheme },
      ),
  )

  it('follows the system in dark and light, and changes with a button', async () => {
    const background = (page: Page): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = 'rgb(255, 255, 255)'
    await withPage(browser, HTML, async ({ page }) => expect(await background(page)).toBe(light), {
      colorScheme: 'light',
    })
    await withPage(
      browser,
      HTML,
      async ({ page }) => {
        expect(await background(page)).toBe('rgb(18, 23, 29)')
        await page.click('#theme')
        expect(await background(page)).toBe(light)
      },
      { colorScheme: 'dark' },
    )
  })

  it.each(WIDTHS)('is never wider than %i px', (width) =>
    withPage(
      browser,
      HTML,
      async ({ page }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      },
      { viewport: { width, height: 844 } },
    ),
  )

  it('shows a card for each part on a phone, its verdict beside its number', () =>
    withPage(
      browser,
      HTML,
      async ({ page }) => {
        const card = page.locator('tr.row:has-text("EX-AHEAD")')
        const box = (await card.boundingBox())!
        expect(box.width).toBeGreaterThan(330)
        const [part, verdict] = [card.locator('.of-part'), card.locator('.of-verdict')]
        expect(await verdict.innerText()).toContain('compliant with exemptions')
        expect((await verdict.boundingBox())!.y).toBe((await part.boundingBox())!.y)
        expect((await verdict.boundingBox())!.x).toBeGreaterThan((await part.boundingBox())!.x)
        expect(await page.locator('#view thead').isVisible()).toBe(false)
        expect(await page.locator('#sort').isVisible()).toBe(false)
        const line = async (id: string) => (await page.locator(id).boundingBox())!
        expect((await line('#more')).y).toBe((await line('#search')).y)
        expect((await line('#rows-section tr.row >> nth=0')).y).toBeLessThan(844)
        await page.click('#more')
        await page.selectOption('#sort', '-part')
        await poll(async () => (await shownParts(page))[0]).toBe('WAIVED-1')
      },
      { viewport: { width: 390, height: 844 } },
    ))

  it('is used by keyboard alone', () =>
    withPage(browser, HTML, async ({ page }) => {
      await page.locator('.verdict a:has-text("1 missing")').focus()
      await page.keyboard.press('Enter')
      await poll(() => shownParts(page)).toEqual(['P9'])
      await page.locator('button.open').focus()
      await page.keyboard.press('Enter')
      expect(await page.locator('dialog').isVisible()).toBe(true)
      await page.keyboard.press('Escape')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('P9')
    }))

  describe.skipIf(!needs('pdftotext'))('on paper', () => {
    async function printed(page: Page, folder: string): Promise<string[]> {
      const path = join(folder, 'report.pdf')
      await page.pdf({ path, preferCSSPageSize: true })
      const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' })
      return text.split('\f').slice(0, -1)
    }

    it('has all filtered rows and only those, headings and a number on every page', () =>
      withPage(browser, pageOf(manyRows(1_000)), async ({ page, folder }) => {
        await page.selectOption('#filter-rohs', 'not compliant')
        const pages = await printed(page, folder)
        expect(pages.length).toBeGreaterThan(3)
        expect(pages.map((text) => /page \d+ of \d+/.exec(text)?.[0])).toEqual(
          pages.map((_, index) => `page ${index + 1} of ${pages.length}`),
        )
        const withRows = pages.filter((text) => text.includes('PART-'))
        for (const text of withRows) expect(text).toMatch(/Part +RoHS status +Remarks +SVHCs +Supplier/)
        expect(
          pages
            .join('')
            .match(/PART-\d{6}/g)!
            .filter((part, at, all) => all.indexOf(part) === at),
        ).toHaveLength(200)
        // The screen has its first page again.
        await poll(() => page.locator('#view tr.row').count()).toBe(50)
      }))

    it('has a product and its exemptions on two pages', () =>
      withPage(browser, HTML, async ({ page, folder }) => {
        const pages = await printed(page, folder)
        expect(pages.length).toBe(2)
        const text = pages.join('')
        expect(text).toContain('exemption 6(c) (2027-06-30): EX-AHEAD, EX-PASSED')
        expect(text).toContain('reference tables: ')
        expect(text).not.toContain('from today to their nominal dates')
      }))

    it('has each value of a substance below its heading', () => {
      const amounts = { material_mass_mg: 1, mass_mg: 123.5, percent_of_material: 45.5, ppm_of_part: 10 }
      const row = { part: 'B', material: 'Steel', substance: 'Iron', cas: '7439-89-6', cas_valid: true }
      const options = {
        shape: { ...SHAPE, kind: 'substances' },
        substances: [{ ...row, ...amounts, source: 'a.xml' }],
      } as const
      return withPage(
        browser,
        pageOf([partRowOf({ part: 'B' })], options),
        async ({ page, folder }) => {
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(800)
          const [text] = await printed(page, folder)
          expect(text).toMatch(/Mass \(mg\) +% of material[\s\S]* 123\.5 +45\.5 /)
        },
        { viewport: { width: 800, height: 844 } },
      )
    })

    it('breaks no value', () => {
      const values = [
        'PART-0123-4567-89AB-CDEF-0123-4567-89',
        'EUROHS-1907',
        'EUREACH-0624',
        'Bis(2-ethylhexyl)phthalate',
        '(00167, 12.25 %)',
        '2021-07-21',
      ]
      const row = partRowOf({
        part: values[0]!,
        note: 'RoHS: 10 categories, none over EUROHS-1907 of EUREACH-0624, '.repeat(8),
        svhc: `${values[3]} ${values[4]}`,
        svhc_count: 1,
        exemptions: '8(b)-I (EL2011/534/EU, Lead)',
        exemption_ids: [{ identity: '8(b)-I', list: 'EL2011/534/EU' }],
      })
      return withPage(browser, pageOf([row]), async ({ page, folder }) => {
        const text = (await printed(page, folder)).join('\n')
        for (const value of values) expect(text).toContain(value)
        expect(text).not.toMatch(/(?:EUREACH|EUROHS)-?\s*$/m)
        expect(text).toContain('nominal date passed')
      })
    })
  })
})
