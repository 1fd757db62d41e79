import * as z from 'zod'
import { EXIT_CODES, type FailureKind } from './failure.ts'

const codes = Object.keys(EXIT_CODES) as [FailureKind, ...FailureKind[]]

/** What went wrong, for programs. */
export const errorDetails = z.looseObject({
  code: z.enum(codes).describe('the name of the exit code, such as `auth`'),
  exitCode: z.int().describe('the exit code'),
  message: z.string().describe('what happened and why, as on standard error'),
  hint: z.string().optional().describe('how to fix it'),
  httpStatus: z.int().optional().describe('the status of the response'),
  problems: z.array(z.string()).readonly().optional().describe('all mistakes, if there are several'),
  options: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('long names of options that help, without dashes'),
  file: z.string().optional().describe('the file concerned'),
  line: z.int().optional().describe('the line in it'),
  entry: z.string().optional().describe('the archive entry concerned'),
  rule: z
    .enum(['name', 'limit', 'structure', 'unsupported', 'data'])
    .optional()
    .describe('for `archive`: `name`, `limit`, `structure`, `unsupported` or `data`'),
  attempts: z.int().optional().describe('number of times the request was sent'),
  retryAt: z.iso.datetime().optional().describe('when a retry may succeed'),
})

/** The result of a command that failed; facts known by then are beside the error. */
export const failedResult = z.looseObject({
  schema: z.string(),
  status: z.literal('failed'),
  error: errorDetails.describe('only with `status` `failed`'),
})

export type ErrorDetails = z.infer<typeof errorDetails>
