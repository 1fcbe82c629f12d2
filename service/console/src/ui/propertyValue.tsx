import { useState } from 'preact/hooks'
import { formatWhole } from '../lib/format.ts'
import { cutText, linkOf, MAX_SHOWN, toText } from '../lib/propertyText.ts'
import { maskProperty } from '../lib/sensitive.ts'

/** A value as text. URLs of pages are links; long text is truncated and sensitive text masked until revealed. */
export const PropertyValue = ({ name, value }: { readonly name: string; readonly value: unknown }) => {
  const [isRevealed, setRevealed] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const whole = toText(value)
  const masked = toText(maskProperty(name, value))
  const text = isRevealed ? whole : masked
  const link = typeof value === 'string' && linkOf(text)
  const shown = isWhole ? text : cutText(text)
  return (
    <>
      {link ? (
        <a href={link} target="_blank" rel="noreferrer noopener">
          {shown}
        </a>
      ) : (
        <bdi class={typeof value === 'object' && value !== null ? 'mono' : ''}>
          {value === '' ? <span class="muted">(empty)</span> : shown}
          {shown.length < text.length && '…'}
        </bdi>
      )}
      {masked !== whole && (
        <button type="button" class="text-button" onClick={() => setRevealed(!isRevealed)}>
          {isRevealed ? 'Hide' : 'Show'}
          <span class="visually-hidden"> the value of {name}</span>
        </button>
      )}
      {text.length > MAX_SHOWN && (
        <button type="button" class="text-button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${formatWhole(text.length)} characters`}
          <span class="visually-hidden"> of {name}</span>
        </button>
      )}
    </>
  )
}
