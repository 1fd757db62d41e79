import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { pathOf } from './programs.ts'
import { withFolder } from './world.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: pathOf('chromium')!, args: FLAGS })
}

export interface Opened {
  readonly page: Page
  readonly folder: string
  /** The address of the page. */
  readonly address: string
}

type Options = Parameters<Browser['newContext']>[0] & { readonly hash?: string }

/** Opens a page from a file. Afterwards the page must have asked for nothing else, and written nothing on the console. */
export async function withPage(
  browser: Browser,
  html: string | Promise<string>,
  body: (opened: Opened) => Promise<void>,
  { hash = '', ...options }: Options = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, 'report.html')
    await writeFile(file, await html)
    const address = pathToFileURL(file).href
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    try {
      const complaints: string[] = []
      const page = await context.newPage()
      page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
      page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
      context.on('request', (request) => {
        const url = request.url().split('#')[0]!
        if (url !== address && !/^(?:data|blob):/.test(url)) complaints.push(`asked for ${url}`)
      })
      await page.goto(address + hash)
      await body({ page, folder, address })
      expect(complaints).toEqual([])
    } finally {
      await context.close()
    }
  })
}

/** A page may respond late on a busy machine. */
export function poll<T>(ask: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(ask, { timeout: 10_000 })
}

/** The part numbers that are shown, from top to bottom. */
export function shownParts(page: Page): Promise<string[]> {
  return page.locator('#view tbody a.open').allInnerTexts()
}
