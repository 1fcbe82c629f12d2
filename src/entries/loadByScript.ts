import type { Extensions, LoadExtension } from '../extensions/extensions'

/** Where the extensions' scripts leave what they have. */
export const REGISTRY = '__trailmark_extensions__'

type Registry = Partial<Extensions>
const registry = (): Registry => ((window as unknown as Record<string, Registry>)[REGISTRY] ??= {})

/** Extensions of the script build: scripts beside the one at `coreUrl`, put where `target` says. */
export const loadByScript = (coreUrl: string, target: () => 'body' | 'head'): LoadExtension => {
  const loading = new Map<string, Promise<void>>()
  const load = (name: string) =>
    new Promise<void>((resolve, reject) => {
      const script = document.createElement('script')
      script.src = new URL(`${name}.js`, coreUrl).href
      script.crossOrigin = 'anonymous'
      script.onload = () => resolve()
      script.onerror = () => reject(new Error(`${script.src} could not be loaded`))
      ;(document[target()] ?? document.head).append(script)
    })
  return async (name) => {
    if (!registry()[name]) {
      if (!loading.has(name)) loading.set(name, load(name))
      await loading.get(name)
    }
    const extension = registry()[name]
    if (!extension) throw new Error(`${name}.js is of another release`)
    return extension
  }
}
