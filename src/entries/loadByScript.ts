import { unclobbered } from '../browser/dom'
import { attempt } from '../lib/attempt'
import { later } from '../lib/guard'
import type { Extension, ExtensionName, LoadExtension } from '../extensions/contract'
import type { ScriptTag, ScriptUrlPolicy } from './runScript'

interface ExtendedWindow {
  /** The exports of the extensions' scripts (rollup.config.mjs). */
  __trailmark_extensions__?: Partial<Record<ExtensionName, Extension>>
  trustedTypes?: { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy }
}

// A script that is missing is requested once in this time at most.
const RETRY_MS = 10_000

/**
 * Loads extensions of the script build: scripts in the core's folder, inserted where `target` says. `tag`: the core's
 * script element, if any.
 */
export const loadByScript = (tag: ScriptTag | null, target: () => 'body' | 'head'): LoadExtension => {
  const page = window as ExtendedWindow
  const loading: Record<string, Promise<unknown>> = {}
  const warned: Record<string, boolean> = {}
  const coreUrl = tag?.src || location.href
  const nonce = tag?.nonce
  const urlOf = (name: string) => new URL(`${name}.js`, coreUrl).href
  // If the page requires Trusted Types, URLs of scripts come from a policy, which allows the core's folder only.
  let policy = tag?.policy

  const load = (name: string) =>
    new Promise((done) => {
      const host = unclobbered(document)
      const script = host.createElement('script')
      policy ??= page.trustedTypes?.createPolicy('trailmark', { createScriptURL: urlOf })
      script.src = policy?.createScriptURL(name) ?? urlOf(name)
      script.crossOrigin = 'anonymous'
      if (nonce) script.nonce = nonce
      script.onload = script.onerror = done
      ;(host[target()] ?? host.head).append(script)
    })
  const loaded = (name: ExtensionName) => page.__trailmark_extensions__?.[name]
  return async (name) => {
    const isFirst = !loading[name]
    if (!loaded(name)) await (loading[name] ??= load(name))
    const extension = loaded(name)
    if (extension) return extension
    const message = `${urlOf(name)} is missing, blocked or from another release. Host it beside the SDK's script`
    // The network may have failed, so a later call requests it again.
    if (isFirst) {
      later(() => delete loading[name], RETRY_MS)
      if (navigator.onLine && !warned[name]) attempt(() => console.warn('[trailmark]', message))
      warned[name] ||= navigator.onLine
    }
    throw new Error(message)
  }
}
