// An error of the server: `instrumentation.ts` captures it.
export default async function Broken(): Promise<never> {
  await Promise.resolve()
  throw new Error('Broken on the server')
}
