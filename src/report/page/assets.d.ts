/** A file that the build puts into the bundle as text; of a `.client.ts`, what it is bundled to. */
declare module '*?text' {
  const text: string
  export default text
}
