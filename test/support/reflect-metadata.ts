// @peculiar/x509 contains a container for dependency injection that refuses to load without the metadata part of Reflect.
// None of its classes has decorators with metadata, so there is none to return.
Object.assign(Reflect, {
  defineMetadata: () => undefined,
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
})
