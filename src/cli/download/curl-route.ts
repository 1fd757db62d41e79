import type { World } from '../../base/world.ts'
import { proxyFor, proxyVariable } from '../../http/proxy.ts'
import type { CurlRoute } from '../../request/curl.ts'
import type { Settings } from '../settings/settings.ts'
import { proxySource } from './access.ts'

/** The proxy and the certificate files of the settings, for curl. Throws `usage` or `config` for an invalid proxy address. */
export function curlRoute(env: World['env'], settings: Settings, baseUrl: string): CurlRoute {
  const { caFile, clientCert, clientKey } = settings.values
  return { ...proxyRoute(env, settings, baseUrl), caFile, clientCert, clientKey }
}

function proxyRoute(env: World['env'], settings: Settings, baseUrl: string): CurlRoute {
  const url = new URL(baseUrl)
  const explicit = settings.values.proxy
  const variable = proxyVariable(url, env)
  const found = proxyFor(url, { env, explicit, source: proxySource(settings) })
  // curl reads these variables itself, and knows no rule for localhost.
  if (found === undefined) return variable === undefined ? {} : { proxy: '' }
  if (explicit === undefined) return { proxyVariable: variable?.name }
  return { proxy: found.origin, hasProxyLogin: found.authorization !== undefined }
}
