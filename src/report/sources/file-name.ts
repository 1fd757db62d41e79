/** The file of a source as rows name it: `sep.zip!2026/broken.xml` is `broken.xml`. */
export function fileName(source: string): string {
  return /[^/\\!]*$/.exec(source)![0]
}
