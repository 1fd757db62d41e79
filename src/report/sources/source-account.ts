import { A_DIRECTORY } from '../../archive/entry.ts'
import { Account } from '../../base/account.ts'
import type { AccountEntry } from '../../base/account-entry.ts'
import type { BatchHead } from '../report-batch.ts'

const CANNOT_BE_READ = 'cannot be read'
const A_REQUEST = 'asks for a declaration'

/** Reasons that need no message, or have one of their own. */
export const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  A_DIRECTORY,
  CANNOT_BE_READ,
  A_REQUEST,
  'in another shard',
  'changed since it came',
  'came later',
])

/** What became of each file of the sources, and of each entry of their archives. */
export interface SourceAccounts {
  readonly files: AccountEntry
  readonly entries: AccountEntry
}

export const NO_SOURCES: SourceAccounts = {
  files: { in: 0, used: 0, named: [] },
  entries: { in: 0, used: 0, named: [] },
}

/** Counts files and entries while the sources are read. */
export class SourceAccount {
  readonly #files = new Account()
  readonly #entries = new Account()

  /** An archive of which the entries are read. */
  archive(): void {
    this.#files.arrive()
    this.#files.use()
  }

  /** A file that is left out or cannot be read. */
  leftOut(place: string, reason: string): void {
    this.#files.arrive()
    this.#files.name(reason, place)
  }

  /** What was read of files, or of the entries of an archive. */
  read({ files, skipped, requests, unreadable }: BatchHead, isArchive: boolean): void {
    const account = isArchive ? this.#entries : this.#files
    account.arrive(files + skipped.length)
    account.use(files - requests.length - unreadable.length)
    for (const { source, reason } of skipped) account.name(reason, source)
    for (const source of requests) account.name(A_REQUEST, source)
    for (const source of unreadable) account.name(CANNOT_BE_READ, source)
  }

  close(): SourceAccounts {
    return { files: this.#files.close('files'), entries: this.#entries.close('entries') }
  }
}
