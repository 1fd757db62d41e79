import * as z from 'zod'
import { accountEntry } from '../base/account-entry.ts'
import { errorDetails } from '../base/failed-result.ts'

const size = z.int().nonnegative()

export const archiveEntry = z.object({
  name: z.string().describe('its name in the archive'),
  folder: z.boolean().describe('true for a directory'),
  bytes: size.describe('unpacked size'),
  packedBytes: size.describe('size in the archive'),
  modified: z.iso.datetime().nullable().describe('modification time; null where it has none'),
  crc32: z.string().describe('eight hexadecimal digits'),
  method: z.string().describe('`stored` or `deflate`'),
})

const archivesAccount = accountEntry.describe('the archives: accepted, or not and why')

/** A directory that an archive was extracted to. */
export const extractedDirectory = z.object({
  path: z.string().describe('the directory'),
  files: size.describe('files written'),
  bytes: size.describe('bytes written'),
})

/** What became of the entries of an archive that was extracted. */
const extractAccount = z
  .object({
    entries: accountEntry.describe('the entries: extracted files, directories, and those not selected'),
  })
  .describe('what came in, and what became of it')

export const listResult = z.object({
  schema: z.literal('matdecl.list/1'),
  status: z.literal('ok'),
  archives: z
    .array(
      z.object({
        path: z.string().describe('the path as given'),
        bytes: size.describe('the size of the file'),
        unpackedBytes: size.describe('the unpacked size of all entries'),
        entries: z.array(archiveEntry).readonly(),
      }),
    )
    .readonly(),
  account: z
    .object({
      archives: archivesAccount,
      entries: accountEntry.describe('their entries'),
    })
    .describe('what came in, and what became of it'),
})

/** One difference between an archive and its manifest. */
const archiveDifference = z.object({
  kind: z.enum(['added', 'missing', 'changed']).describe('`added`, `missing` or `changed`'),
  entry: z.string().optional().describe('the entry; absent when it is about the archive as a whole'),
  field: z
    .enum(['bytes', 'sha256', 'crc32'])
    .optional()
    .describe('what has changed: `bytes` (the size), `sha256` or `crc32`'),
  expected: z.union([z.string(), z.number()]).optional().describe('its value in the manifest'),
  found: z.union([z.string(), z.number()]).optional().describe('its value in the archive'),
})

/** An archive that passed. */
const verifiedArchive = z.object({
  path: z.string().describe('the path as given'),
  status: z.literal('ok').describe('`ok` or `failed`'),
  bytes: size.describe('the size of the file'),
  unpackedBytes: size.describe('the unpacked size of all entries'),
  entries: size.describe('the number of entries'),
  notOnWindows: z
    .int()
    .positive()
    .optional()
    .describe('entries whose names Windows does not allow, so that they cannot be extracted there'),
  manifest: z
    .object({
      path: z.string().describe('the path as given'),
      sha256: z.string().describe('SHA-256 of the canonical form of the manifest'),
      tool: z.string().describe('name and version of the tool that wrote it'),
      finishedAt: z.iso.datetime().describe('when the download ended'),
    })
    .optional()
    .describe('with the `manifest` option: the manifest that the archive matches'),
})

/** An archive that did not pass. */
const rejectedArchive = z.object({
  path: z.string().describe('the path as given'),
  status: z.literal('failed').describe('`ok` or `failed`'),
  error: errorDetails.describe('what is wrong, as in `error` above'),
  differences: z
    .array(archiveDifference)
    .readonly()
    .optional()
    .describe('with the `manifest` option: every difference between the manifest and the archive'),
})

export const verifyResult = z.object({
  schema: z.literal('matdecl.verify/1'),
  status: z.literal('ok'),
  archives: z.array(z.discriminatedUnion('status', [verifiedArchive, rejectedArchive])).readonly(),
  account: z
    .object({
      archives: archivesAccount,
      entries: accountEntry.describe('the entries of those that passed'),
    })
    .describe('what came in, and what became of it'),
})

export const extractResult = z.object({
  schema: z.literal('matdecl.extract/1'),
  status: z.literal('ok'),
  archive: z.string().describe('the path as given'),
  extracted: extractedDirectory,
  account: extractAccount,
})

export type Entry = z.infer<typeof archiveEntry>
export type ListResult = z.infer<typeof listResult>
export type VerifiedArchiveResult = z.infer<typeof verifiedArchive>
export type RejectedArchiveResult = z.infer<typeof rejectedArchive>
export type ArchiveDifference = z.infer<typeof archiveDifference>
export type VerifyResult = z.infer<typeof verifyResult>
export type ExtractResult = z.infer<typeof extractResult>
