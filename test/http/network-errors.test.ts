import { describe, expect, test } from 'vitest'
import { connectError } from '../../src/http/network-errors.ts'
import type { ProxyServer } from '../../src/http/proxy.ts'
import { readsSystemStore } from '../../src/http/tls.ts'

describe('an error before a request is sent', () => {
  const peer = { host: 'api.example.com', port: 443, hasClientCertificate: false }

  test.each([
    ['ENOTFOUND', 'once', /cannot resolve/],
    ['EAI_AGAIN', 'always', /cannot resolve .* at the moment/],
    ['ECONNREFUSED', 'always', /refused the connection/],
    ['EHOSTUNREACH', 'always', /cannot be reached/],
    ['ENETUNREACH', 'always', /cannot be reached/],
    ['ETIMEDOUT', 'always', /did not respond/],
    ['ECONNRESET', 'always', /closed the connection before a request/],
    ['CERT_HAS_EXPIRED', 'never', /certificate of api\.example\.com expired/],
    ['CERT_REVOKED', 'never', /revoked/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'never', /unknown issuer/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'never', /unknown issuer: its chain ends self-signed/],
    ['INVALID_CA', 'never', /was refused \(INVALID_CA\)/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'never', /does not speak TLS/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'never', /supports only outdated versions of TLS/],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'never', /supports only outdated versions of TLS/],
    ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'never', /^api\.example\.com:443 supports HTTP\/2 only$/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'never', /refused the TLS handshake/],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'never',
      /^api\.example\.com:443: the server requires a client certificate$/,
    ],
  ])('%s is retried %s', (code, retry, says) => {
    const fault = connectError(Object.assign(new Error('x'), { code }), peer)
    expect(fault.kind).toBe('unavailable')
    expect(fault.retry).toBe(retry)
    expect(fault.message).toMatch(says)
    expect(fault.hint).not.toBe('')
  })

  test('an unknown issuer: the variable is named only where this Node does not read the store of the system', () => {
    const error = Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
    expect(/NODE_EXTRA_CA_CERTS/.test(connectError(error, peer).hint ?? '')).toBe(!readsSystemStore())
  })

  test.each([
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  ])('%s is about the client certificate, wanted or refused', (code) => {
    const error = Object.assign(new Error('x'), { code })
    const options = ['client-cert', 'client-key']
    const wanted = connectError(error, peer)
    expect(wanted.message).toBe('api.example.com:443: the server requires a client certificate')
    expect(wanted).toMatchObject({ retry: 'never', details: { options } })
    const refused = connectError(error, { ...peer, hasClientCertificate: true })
    expect(refused.message).toBe('api.example.com:443: the server rejected the client certificate')
    expect(refused).toMatchObject({ retry: 'never', details: { options } })
  })

  test.each(['ENOTFOUND', 'EAI_AGAIN'])('%s names HTTPS_PROXY unless there is a proxy', (code) => {
    const error = Object.assign(new Error('x'), { code })
    const direct = connectError(error, peer)
    expect(direct.hint).toContain('HTTPS_PROXY')
    expect(direct.details.options).toEqual(['proxy'])
    const proxy = { hostname: 'proxy.example.com', port: 3128, source: 'HTTPS_PROXY' } as ProxyServer
    const proxied = connectError(error, { ...peer, host: proxy.hostname, proxy })
    expect(proxied.message).toContain('a proxy from HTTPS_PROXY')
    expect(proxied.hint).not.toContain('HTTPS_PROXY')
    expect(proxied.details.options).toBeUndefined()
  })

  test('of many addresses that failed, the first speaks', () => {
    const errors = ['ECONNREFUSED', 'ENETUNREACH'].map((code) => Object.assign(new Error('x'), { code }))
    expect(connectError(new AggregateError(errors), peer).message).toMatch(/refused the connection/)
  })

  test('too many open files is a matter of this machine', () => {
    const error = Object.assign(new Error('x'), { code: 'EMFILE' })
    expect(connectError(error, peer)).toMatchObject({ kind: 'io' })
  })
})
