import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

const SHOW_MS = 2_000

/** Copies text. `navigator.clipboard` exists only on secure origins. */
const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  // Elements outside an open dialog cannot be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
}

export const CopyButton = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    void copyText(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), SHOW_MS)
    })
  return (
    <button type="button" class="button" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  )
}

/** Text to read and copy, such as a command or JSON. `children`: more buttons beside the one that copies. */
export const Code = ({
  text,
  label,
  wraps = false,
  children,
}: {
  readonly text: string
  readonly label: string
  readonly wraps?: boolean
  readonly children?: ComponentChildren
}) => (
  <div class="stack" style={{ gap: '0.5rem' }}>
    <pre class={wraps ? 'code wrap' : 'code'} tabIndex={0} aria-label={label}>
      {text}
    </pre>
    <div class="row">
      <CopyButton text={text} />
      {children}
    </div>
  </div>
)
