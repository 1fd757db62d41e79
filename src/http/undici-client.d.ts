/** The client alone, without fetch, caches and sockets of undici's index: half the code to load, half the memory. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}
