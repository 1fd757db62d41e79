// @peculiar/x509 contains a container for dependency injection that refuses to load without the metadata part of Reflect.
// Nothing in it has decorators with metadata, so that there is never any to return.
Object.assign(Reflect, {
  defineMetadata: () => undefined,
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
})
