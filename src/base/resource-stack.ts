/** Resources that are released together, the last one first. Node 20 has no `AsyncDisposableStack`. */
export class ResourceStack implements AsyncDisposable {
  #releases: (() => unknown)[] = []

  /** Releases `resource` with the stack. */
  use<T extends AsyncDisposable | Disposable>(resource: T): T {
    this.defer(async () => {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]()
      else resource[Symbol.dispose]()
    })
    return resource
  }

  defer(release: () => unknown): void {
    this.#releases.push(release)
  }

  /** Moves everything to a new stack; disposing this one then releases nothing. */
  move(): ResourceStack {
    const moved = new ResourceStack()
    moved.#releases = this.#releases
    this.#releases = []
    return moved
  }

  /** Releases everything, also when a release fails; rejects with the first error. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = []
    for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
      try {
        await release()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
