import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { htmlFormatter } from '../../src/report/html.ts'
import { needs } from '../support/programs.ts'
import { formatAll, manyRows, SHAPE, sampleRows } from '../support/report-rows.ts'
import { withFolder } from '../support/world.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

describe.skipIf(!needs('chromium'))('the report page in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: onPath('chromium'), args: FLAGS })
  })
  afterAll(() => browser?.close())

  interface Opened {
    readonly page: Page
    /** Console messages, errors, and requests for other resources. */
    readonly complaints: readonly string[]
    readonly folder: string
  }

  async function withPage(
    rows: ReturnType<typeof sampleRows>,
    body: (opened: Opened) => Promise<void>,
    options: Parameters<Browser['newContext']>[0] & { readonly failOn?: string } = {},
  ): Promise<void> {
    const { failOn, ...contextOptions } = options
    await withFolder(async (folder) => {
      const file = join(folder, 'report.html')
      await writeFile(
        file,
        await formatAll(htmlFormatter(SHAPE), rows, { size: 500, ...(failOn ? { failOn } : {}) }),
      )
      const address = pathToFileURL(file).href
      const context: BrowserContext = await browser.newContext({
        viewport: { width: 1400, height: 900 },
        ...contextOptions,
      })
      try {
        const complaints: string[] = []
        const page = await context.newPage()
        page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
        page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
        context.on('request', (request) => {
          if (request.url() !== address && !request.url().startsWith('data:'))
            complaints.push(`asked for ${request.url()}`)
        })
        await page.goto(address)
        await body({ page, complaints, folder })
        expect(complaints).toEqual([])
      } finally {
        await context.close()
      }
    })
  }

  const firstColumn = (page: Page): Promise<string[]> =>
    page.locator('#view tbody tr.row td:first-child').allInnerTexts()

  it('shows counts, three charts and every row, and loads nothing', async () => {
    await withPage(sampleRows(), async ({ page }) => {
      await expect(page.locator('.tiles li').first().textContent()).resolves.toMatch(/7\s+rows/)
      expect(await page.locator('figcaption').allInnerTexts()).toEqual([
        'RoHS status',
        'SVHCs by number of parts',
        'Age of declared lists',
      ])
      expect(await page.locator('#shown').textContent()).toBe('7 of 7 rows')
      expect(await firstColumn(page)).toEqual([
        'P1',
        '00012',
        'P,"3"',
        '=HYPERLINK("x")',
        'spaced',
        'P9',
        '(none)',
      ])
      expect(await page.locator('#view tbody tr.row').nth(3).locator('td').nth(1).textContent()).toBe(
        '<b>&amp;',
      )
    })
  })

  it('leaves out empty columns', async () => {
    await withPage(sampleRows(), async ({ page }) => {
      const headings = await page.locator('#view th').allInnerTexts()
      expect(headings).not.toContain('requester part')
      expect(headings.slice(0, 3)).toEqual(['part', 'name', 'supplier'])
    })
  })

  it('shows whether the gate passed', async () => {
    await withPage(
      sampleRows(),
      async ({ page }) => {
        expect(await page.locator('.gate').textContent()).toBe('✗ gate failed: 2 rows match missing, svhc')
      },
      { failOn: 'missing,svhc' },
    )
    await withPage(
      sampleRows().slice(0, 1),
      async ({ page }) => {
        expect(await page.locator('.gate').textContent()).toContain('gate passed')
      },
      { failOn: 'svhc' },
    )
  })

  it('searches, filters, sorts and resets', async () => {
    await withPage(sampleRows(), async ({ page }) => {
      await page.fill('#search', 'lead exempt')
      await poll(() => firstColumn(page)).toEqual(['00012'])
      await page.fill('#search', '')
      await page.selectOption('#filter-rohs', 'not compliant')
      await poll(() => firstColumn(page)).toEqual(['P,"3"'])
      await page.click('#reset')
      await page.check('#only-svhc')
      await poll(() => firstColumn(page)).toEqual(['P,"3"'])
      await page.click('#reset')
      await page.click('th button:text-is("part")')
      await expect
        .poll(() => firstColumn(page))
        .toEqual(['spaced', '00012', '=HYPERLINK("x")', 'P1', 'P9', 'P,"3"', '(none)'].sort(expectedOrder))
      expect(await page.locator('th').first().getAttribute('aria-sort')).toBe('ascending')
      await page.click('th button:text-is("part")')
      expect(await page.locator('th').first().getAttribute('aria-sort')).toBe('descending')
      await poll(async () => (await firstColumn(page)).at(-1)).toBe('(none)')
      await page.fill('#search', 'no such thing')
      await poll(() => page.locator('#empty').isVisible()).toBe(true)
    })
  })

  it('filters on a click on a bar, and shows all columns of a row on a click on its part', async () => {
    await withPage(sampleRows(), async ({ page }) => {
      await page.click('figure li:has-text("not compliant")')
      await poll(() => firstColumn(page)).toEqual(['P,"3"'])
      await page.click('#view tbody tr.row button')
      expect(await page.locator('dialog').textContent()).toContain('Lead (00167, 0.25 %); DEHP (00009)')
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog').isVisible()).toBe(false)
    })
  })

  it('renders only a few of 10,000 rows while scrolling, sorting and searching', async () => {
    const rows = manyRows(10_000)
    await withPage(rows, async ({ page }) => {
      expect(await page.locator('#shown').textContent()).toBe('10,000 of 10,000 rows')
      expect(await page.locator('#view tbody tr').count()).toBeLessThan(100)
      await page.locator('#view').evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      await poll(async () => (await firstColumn(page)).at(-1)).toBe('PART-009999')
      expect(await page.locator('#view tbody tr').count()).toBeLessThan(100)

      await page.click('th button:text-is("mass mg")')
      const lightest = rows.reduce((a, b) => (a.mass_mg! <= b.mass_mg! ? a : b))
      await poll(async () => (await firstColumn(page))[0]).toBe(lightest.part)
      await page.fill('#search', 'part-004242')
      await poll(() => firstColumn(page)).toEqual(['PART-004242'])

      await page.fill('#search', 'thing')
      await poll(() => page.locator('#shown').textContent()).toBe('10,000 of 10,000 rows')
      expect(await page.locator('#view tbody tr').count()).toBeLessThan(100)
    })
  })

  it('prints all filtered rows, and only those', async () => {
    await withPage(manyRows(300), async ({ page, folder }) => {
      await page.selectOption('#filter-rohs', 'not compliant')
      const file = join(folder, 'report.pdf')
      await page.evaluate(
        "addEventListener('beforeprint', () => { globalThis.printed = document.querySelectorAll('#view tr.row').length })",
      )
      await page.pdf({ path: file })
      const pdf = await readFile(file)
      expect(pdf.subarray(0, 5).toString('latin1')).toBe('%PDF-')
      expect(pdf.length).toBeGreaterThan(20_000)
      expect(await page.evaluate('globalThis.printed')).toBe(60)
      expect(await page.locator('#view tbody tr.row').count()).toBeLessThan(61)
    })
  })

  it('follows the preference for dark mode, and switches with a button', async () => {
    const background = (page: Page): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    await withPage(
      sampleRows(),
      async ({ page }) => expect(await background(page)).toBe('rgb(255, 255, 255)'),
      { colorScheme: 'light' },
    )
    await withPage(
      sampleRows(),
      async ({ page }) => {
        expect(await background(page)).toBe('rgb(18, 23, 29)')
        await page.click('#theme')
        expect(await background(page)).toBe('rgb(255, 255, 255)')
      },
      { colorScheme: 'dark' },
    )
  })

  it('is readable without scripts', async () => {
    await withPage(
      sampleRows(),
      async ({ page }) => {
        expect(await page.locator('.plain tbody tr').count()).toBe(7)
        expect(await page.locator('.plain tbody tr').nth(2).locator('td').first().textContent()).toBe('P,"3"')
        expect(await page.locator('#controls').isVisible()).toBe(false)
        expect(await page.locator('figure').count()).toBe(3)
      },
      { javaScriptEnabled: false },
    )
  })

  it('runs no foreign script and loads nothing, whatever the rows contain', async () => {
    const evil = '</noscript><script>document.title="owned"</script><img src="https://example.invalid/x.png">'
    const rows = sampleRows().map((row) => ({
      ...row,
      name: evil,
      note: `"'><svg onload=alert(1)>`,
      svhc_names: [evil],
    }))
    await withPage(rows, async ({ page }) => {
      expect(await page.title()).toBe('Material declarations')
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.locator('#view tbody tr.row').first().locator('td').nth(1).textContent()).toBe(evil)
    })
  })
})

/** A page may respond late on a busy machine. */
function poll<T>(ask: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(ask, { timeout: 10_000 })
}

function onPath(program: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))!
}

function expectedOrder(a: string, b: string): number {
  if (a === '(none)') return 1
  if (b === '(none)') return -1
  return new Intl.Collator('en', { numeric: true }).compare(
    a === 'spaced' ? ' spaced ' : a,
    b === 'spaced' ? ' spaced ' : b,
  )
}
