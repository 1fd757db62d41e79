import { cleanText } from '../base/clean-text.ts'
import { redactUrl } from '../base/redact.ts'
import { plural } from '../base/units.ts'
import type { LegacyRequest } from './legacy-request.ts'

/** One row of what a client changes on its way from v1 to v2. */
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
  /** What that means for this request. */
  readonly note: string
}

interface Chosen {
  readonly format: string
  readonly baseUrl: string | undefined
}

/** A note for every row of the interface document's table, whether or not the request uses it. */
export function notesOn(request: LegacyRequest, chosen: Chosen): readonly MigrationNote[] {
  return [
    address(request, chosen),
    {
      aspect: 'path',
      v1: '/api/download',
      v2: '/v2/download',
      note: 'the version stands in the path; base-url is written without it',
    },
    {
      aspect: 'method',
      v1: 'POST with a JSON body',
      v2: 'GET with a query string, no body',
      note: 'every criterion moves from the JSON body into the query string',
    },
    authorization(request),
    format(request, chosen),
    parts(request),
    {
      aspect: 'supplier and parts',
      v1: 'both may be blank',
      v2: 'at least one with a valid value',
      note: 'this request names at least one; a request for everything has no successor',
    },
    startDate(request),
    severalSuppliers(request),
  ]
}

function address({ url }: LegacyRequest, { baseUrl }: Chosen): MigrationNote {
  return {
    aspect: 'address',
    v1: url === undefined ? 'the legacy host' : hostOf(url),
    v2: baseUrl ?? 'an address of its own',
    note:
      baseUrl === undefined
        ? 'v2 has an address of its own: ask the provider, then set base-url (or MATDECL_BASE_URL)'
        : 'the address is the one of your settings',
  }
}

function authorization({ hasKey }: LegacyRequest): MigrationNote {
  return {
    aspect: 'authorization',
    v1: 'apikey in the JSON body',
    v2: 'Authorization: Bearer, with an access token',
    note: `v2 does not accept the API key: ask your account manager for a token and put it into MATDECL_TOKEN or a token-file${hasKey ? '; the key is not taken over, remove it from the old request' : ''}`,
  }
}

function format(request: LegacyRequest, chosen: Chosen): MigrationNote {
  const given = request.format?.toUpperCase()
  const row = { aspect: 'format', v1: request.format ?? 'XML or CSV', v2: chosen.format } as const
  if (given === 'CSV') {
    return {
      ...row,
      note: `CSV has no successor: ${chosen.format} is downloaded, and the table made from it with --report FILE.csv, or later with matdecl report ARCHIVE -o FILE.csv`,
    }
  }
  if (given === 'XML') {
    return {
      ...row,
      note: `XML becomes 1752A or 1752B; ${chosen.format} is chosen here: ask whoever reads the files, and change --format if they read the other one`,
    }
  }
  return {
    ...row,
    note:
      given === undefined
        ? `the request names no format; v2 needs one, ${chosen.format} is chosen here`
        : `${chosen.format} is a v2 format already`,
  }
}

function parts({ parts: wanted }: LegacyRequest): MigrationNote {
  return {
    aspect: 'parts',
    v1: 'one text: numbers in double quotes, with commas between',
    v2: 'partNumbers[] once for each number',
    note:
      wanted.length === 0
        ? 'this request names none'
        : `${plural(wanted.length, 'part')}, each its own --part, exact: no quotes, nothing split or trimmed`,
  }
}

function startDate({ startDate: given }: LegacyRequest): MigrationNote {
  return {
    aspect: 'start date',
    v1: 'startdate',
    v2: 'startDate',
    note:
      given === undefined
        ? 'this request names none'
        : 'the name has a capital D now, the form is the same; for a job that runs again and again, --since last-run keeps the date itself',
  }
}

function severalSuppliers({ suppliers }: LegacyRequest): MigrationNote {
  const several = suppliers.length > 1
  return {
    aspect: 'several suppliers',
    v1: 'joined by commas',
    v2: 'one in each request',
    note: several
      ? `${plural(suppliers.length, 'supplier')} become ${plural(suppliers.length, 'command')}`
      : `this request names ${suppliers.length === 0 ? 'none' : 'one'}`,
  }
}

function hostOf(url: string): string {
  return cleanText(redactUrl(url).replace(/[?#].*$/s, ''), 120)
}
