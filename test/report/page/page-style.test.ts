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
const WIDTHS = [390, 768, 1366]

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
    'has no barrier in the words, the letters and the page of a part: %s',
    (colorScheme) =>
      withPage(
        browser,
        HTML,
        async ({ page }) => {
          await page.click('#words summary')
          await page.click('.letter summary')
          await page.click('.answer a:has-text("1 missing")')
          expect(await violations(page)).toEqual([])
          await page.click('a.open')
          await page.locator('#part-title').waitFor()
          expect(await violations(page)).toEqual([])
        },
        { colorScheme },
      ),
  )

  it('has targets of 24 px', () =>
    withPage(browser, HTML, async ({ page }) => {
      const targets = page.locator('a:visible, button:visible, input:visible, summary:visible')
      const small = await targets.evaluateAll((all) =>
        all
          .filter((one) => one.className !== 'skip' && one.getBoundingClientRect().height < 24)
          .map((one) => one.outerHTML),
      )
      expect(small).toEqual([])
    }))

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

  it('shows the answers closed and a card for each part on a phone', () =>
    withPage(
      browser,
      HTML,
      async ({ page }) => {
        const card = page.locator('#view tr.row').first()
        const box = (await card.boundingBox())!
        expect(box.width).toBeGreaterThan(330)
        expect(box.y + box.height).toBeLessThan(844)
        expect(await page.locator('.answer details[open]').count()).toBe(0)
        await page.selectOption('#sort', '-part')
        await poll(async () => (await shownParts(page))[0]).toBe('P9')
      },
      { viewport: { width: 390, height: 844 } },
    ))

  it('is used by keyboard alone, from a link that skips the head', () =>
    withPage(browser, HTML, async ({ page }) => {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.className')).toBe('skip')
      await page.keyboard.press('Enter')
      await poll(() => page.evaluate('document.activeElement.className')).toMatch(/^open/)
      await page.locator('.answer a:has-text("1 missing")').focus()
      await page.keyboard.press('Enter')
      await poll(() => shownParts(page)).toEqual(['P9'])
      await page.locator('a.open').focus()
      await page.keyboard.press('Enter')
      await poll(() => page.locator('#part-title').innerText()).toBe('P9')
    }))

  describe.skipIf(!needs('pdftotext'))('on paper', () => {
    async function printed(page: Page, folder: string): Promise<string[]> {
      const path = join(folder, 'report.pdf')
      await page.pdf({ path, preferCSSPageSize: true })
      const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' })
      return text.split('\f').slice(0, -1)
    }

    it('has every row that is not clean, whatever the tab, headings and a number on every page', () =>
      withPage(browser, pageOf(manyRows(400)), async ({ page, folder }) => {
        await page.click('#tabs a:has-text("Ending")')
        const pages = await printed(page, folder)
        const rowsOn = (texts: readonly string[]): number => new Set(texts.join('').match(/PART-\d{6}/g)).size
        expect(pages.length).toBeLessThanOrEqual(9)
        expect(pages.map((text) => /page \d+ of \d+/.exec(text)?.[0])).toEqual(
          pages.map((_, index) => `page ${index + 1} of ${pages.length}`),
        )
        for (const text of pages) expect(text).toMatch(/Part +RoHS +REACH +Why +Supplier +Stated/)
        expect(rowsOn(pages)).toBe(240)
        expect(pages[0]).toContain('160 rows without an open finding are not printed')
        await page.fill('#search', 'part-00000')
        await poll(() => page.locator('#chips button').count()).toBe(1)
        const [filtered] = await printed(page, folder)
        expect(rowsOn([filtered!])).toBe(6)
        expect(filtered).toContain('Filtered: 234 other rows that are not clean are not on this paper.')
        await page.click('#chips button')
        await page.click('#tabs a:has-text("All")')
        await poll(() => page.locator('#shown').textContent()).toBe('400 rows')
        const all = await printed(page, folder)
        expect(rowsOn(all)).toBe(400)
        expect(all.length).toBeLessThanOrEqual(9)
      }))

    it('has a part on one page', () =>
      withPage(
        browser,
        HTML,
        async ({ page, folder }) => {
          const pages = await printed(page, folder)
          expect(pages.length).toBe(1)
          expect(pages[0]).toContain('Failed: Lead over the RoHS threshold')
          expect(pages[0]).not.toContain('MAY IT BE USED')
        },
        { hash: '#part=NEWER' },
      ))

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
        'Bis(2-ethylhexyl)phthalate',
        '12.25 %',
        '2021-07-21',
      ]
      const row = partRowOf({
        part: values[0]!,
        note: 'RoHS: 10 categories, none over EUROHS-1907 of EUREACH-0624, '.repeat(8),
        svhc: `${values[1]} (00167, ${values[2]})`,
        svhc_count: 1,
        exemptions: '8(b)-I (EL2011/534/EU, Lead)',
        exemption_ids: [{ identity: '8(b)-I', list: 'EL2011/534/EU' }],
      })
      return withPage(browser, pageOf([row]), async ({ page, folder }) => {
        const text = (await printed(page, folder)).join('\n')
        for (const value of values) expect(text).toContain(value)
        expect(text).toContain('relies on a date that has passed')
      })
    })
  })
})
