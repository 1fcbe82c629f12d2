import type { Extensions, LoadExtension } from '../extensions/extensions'

interface ExtendedWindow {
  /** Where the extensions' scripts leave what they have (rollup.config.mjs). */
  __trailmark_extensions__?: Partial<Extensions>
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(name: string): string },
    ): { createScriptURL(name: string): string }
  }
}

/** Extensions of the script build: scripts beside the one at `coreUrl`, put where `target` says. */
export const loadByScript = (coreUrl: string, target: () => 'body' | 'head'): LoadExtension => {
  const page = window as ExtendedWindow
  const loading: Record<string, Promise<void>> = {}
  const addressOf = (name: string) => new URL(`${name}.js`, coreUrl).href
  // Where a page requires Trusted Types, an address of code has to come from a policy; ours knows the core's folder only.
  let policy: ReturnType<NonNullable<ExtendedWindow['trustedTypes']>['createPolicy']> | undefined

  const load = (name: string) =>
    new Promise<void>((resolve, reject) => {
      const script = document.createElement('script')
      policy ??= page.trustedTypes?.createPolicy('trailmark', { createScriptURL: addressOf })
      script.src = policy?.createScriptURL(name) ?? addressOf(name)
      script.crossOrigin = 'anonymous'
      script.onload = () => resolve()
      script.onerror = () => reject(new Error(`${name}.js could not be loaded`))
      ;(document[target()] ?? document.head).append(script)
    })
  return async (name) => {
    if (!page.__trailmark_extensions__?.[name]) await (loading[name] ??= load(name))
    const extension = page.__trailmark_extensions__?.[name]
    if (!extension) throw new Error(`${name}.js is of another release`)
    return extension
  }
}
