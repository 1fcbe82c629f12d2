import createAjvFactory from '@fastify/ajv-compiler'

type Factory = ReturnType<typeof createAjvFactory>
type Validate = ReturnType<ReturnType<Factory>>

/**
 * Returns Fastify's schema compiler, but compiles each schema at its first use. Compiling the schemas of all routes
 * would take a fifth of the startup time.
 */
export const createLazyValidators = (): Factory => {
  const createCompiler = createAjvFactory()
  return (externalSchemas, options) => {
    const compile = createCompiler(externalSchemas, options)
    return (route) => {
      let validate: Validate | undefined
      // Fastify reads the errors from the function that it called.
      const validateLazily = ((data: unknown) => {
        validate ??= compile(route)
        const result = validate(data)
        validateLazily.errors = validate.errors
        return result
      }) as Validate
      return validateLazily
    }
  }
}
