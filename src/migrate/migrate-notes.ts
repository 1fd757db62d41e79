import { cleanText } from '../base/clean-text.ts'
import { redactUrl } from '../base/redact.ts'
import { plural } from '../base/units.ts'
import type { V1Request } from './v1-request.ts'

/** A difference between v1 and v2. */
export interface MigrationNote {
  readonly aspect:
    | 'address'
    | 'path'
    | 'method'
    | 'authorization'
    | 'format'
    | 'parts'
    | 'supplier and parts'
    | 'start date'
    | 'several suppliers'
  readonly v1: string
  readonly v2: string
  /** The effect on this request. */
  readonly note: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
}

interface Chosen {
  readonly format: string
  readonly baseUrl: string | undefined
}

/** A note for every difference in the interface document, whether or not it concerns the request. */
export function notesOn(request: V1Request, chosen: Chosen): readonly MigrationNote[] {
  return [
    address(request, chosen),
    {
      aspect: 'path',
      v1: '/api/download',
      v2: '/v2/download',
      note: 'the version is part of the path; base-url is written without it',
    },
    {
      aspect: 'method',
      v1: 'POST with a JSON body',
      v2: 'GET with a query string, no body',
      note: 'all criteria move from the JSON body into the query string',
    },
    authorization(request),
    format(request, chosen),
    parts(request),
    {
      aspect: 'supplier and parts',
      v1: 'both may be blank',
      v2: 'at least one is required',
      note: 'this request has at least one; v2 has no request for everything',
    },
    startDate(request),
    severalSuppliers(request),
  ]
}

function address({ url }: V1Request, { baseUrl }: Chosen): MigrationNote {
  return {
    aspect: 'address',
    v1: url === undefined ? 'the legacy host' : hostOf(url),
    v2: baseUrl ?? 'a separate URL',
    note:
      baseUrl === undefined
        ? 'v2 has a separate URL: ask the provider for it, then set base-url or MATDECL_BASE_URL'
        : 'from your configuration',
  }
}

function authorization({ hasKey }: V1Request): MigrationNote {
  return {
    aspect: 'authorization',
    v1: 'apikey in the JSON body',
    v2: 'Authorization: Bearer with an access token',
    note: `v2 does not accept the API key: ask your account manager for a token, and set MATDECL_TOKEN or token-file${hasKey ? '; the key was not migrated, remove it from the old request' : ''}`,
  }
}

function format(request: V1Request, chosen: Chosen): MigrationNote {
  const given = request.format?.toUpperCase()
  const row = { aspect: 'format', v1: request.format ?? 'XML or CSV', v2: chosen.format } as const
  if (given === 'CSV') {
    return {
      ...row,
      note: `v2 has no CSV: download ${chosen.format}, then run matdecl report ARCHIVE -o FILE.csv, or report during the download`,
      options: ['report'],
    }
  }
  if (given === 'XML') {
    return {
      ...row,
      note: `XML becomes 1752A or 1752B, here ${chosen.format}: ask the recipients of the files which one they need`,
      options: ['format'],
    }
  }
  return {
    ...row,
    note:
      given === undefined
        ? `this request has none; v2 requires one, here ${chosen.format}`
        : `${chosen.format} is already a v2 format`,
  }
}

function parts({ parts: wanted }: V1Request): MigrationNote {
  return {
    aspect: 'parts',
    v1: 'one comma-separated string of quoted numbers',
    v2: 'partNumbers[] repeated for each number',
    note:
      wanted.length === 0
        ? 'this request has none'
        : `${plural(wanted.length, 'part')}, sent unchanged: not quoted, split or trimmed`,
    ...(wanted.length === 0 ? {} : { options: ['part'] }),
  }
}

function startDate({ startDate: given }: V1Request): MigrationNote {
  return {
    aspect: 'start date',
    v1: 'startdate',
    v2: 'startDate',
    note:
      given === undefined
        ? 'this request has none'
        : 'renamed with a capital D, same date format; a scheduled job can use the period last-run instead',
    ...(given === undefined ? {} : { options: ['since'] }),
  }
}

function severalSuppliers({ suppliers }: V1Request): MigrationNote {
  const several = suppliers.length > 1
  return {
    aspect: 'several suppliers',
    v1: 'comma-separated',
    v2: 'one per request',
    note: several
      ? `${plural(suppliers.length, 'supplier')} become ${plural(suppliers.length, 'command')}`
      : `this request has ${suppliers.length === 0 ? 'none' : 'one'}`,
  }
}

function hostOf(url: string): string {
  return cleanText(redactUrl(url).replace(/[?#].*$/s, ''), 120)
}
