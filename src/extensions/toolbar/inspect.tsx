import { Fragment, h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Stop } from '../../types'
import { inspect, selectorOf } from './captured'
import { createFrame, startPicker } from './picker'
import type { PanelProps, Tools } from './tools'
import { Values } from './values'

/** Shows what a click on an element captures, and a selector of it. */
export const InspectPanel = ({ tools, overlay, isOpenedHere, announce }: PanelProps) => {
  const [picked, setPicked] = useState<Element>()
  const [isPicking, setIsPicking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const stop = useRef<Stop>(undefined)
  useLayoutEffect(() => {
    // On the next page, clicks go to the page until the person inspects again.
    if (isOpenedHere) toggle()
    return () => stop.current?.()
  }, [])
  useLayoutEffect(() => {
    if (!picked) return undefined
    const frame = createFrame(overlay)
    const align = () => frame.show(picked)
    align()
    const stopListening = tools.host.listen(window, ['scroll', 'resize'], align)
    return () => {
      stopListening()
      frame.remove()
    }
  }, [picked])

  const toggle = () => {
    stop.current?.()
    stop.current = undefined
    setIsPicking(!isPicking)
    if (isPicking) return
    setPicked(undefined)
    stop.current = startPicker(tools, overlay, (element) => {
      setIsPicking(false)
      setPicked(element)
      announce(element ? `Picked ${element.tagName.toLowerCase()}` : 'Picking ended')
      button.current?.focus({ preventScroll: true })
    })
  }
  return (
    <>
      <button type="button" class="button" ref={button} aria-pressed={isPicking} onClick={toggle}>
        Pick an element
      </button>
      {isPicking && <p>Click an element, or walk through the page with the arrow keys and press Enter. Escape ends.</p>}
      {picked && <Inspected tools={tools} element={picked} announce={announce} />}
    </>
  )
}

const Inspected = ({ tools, element, announce }: { tools: Tools; element: Element; announce(text: string): void }) => {
  const { type, reasons, omissions, properties } = inspect(tools, element)
  const selector = selectorOf(element)
  const isCaptured = !reasons.length
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      announce('Copied')
    } catch {
      // Pages without HTTPS have no clipboard.
      announce('The browser does not allow copying')
    }
  }
  return (
    <>
      <h3>Selector</h3>
      {selector ? (
        <>
          <p>
            <code>{selector.text}</code>{' '}
            <button type="button" class="button" onClick={() => void copy(selector.text)}>
              Copy
            </button>
          </p>
          {selector.shadowHost && <p>Inside the shadow root of {`<${selector.shadowHost}>`}.</p>}
          {selector.warning && <p class="warning">{selector.warning}</p>}
        </>
      ) : (
        <p>No short selector was found.</p>
      )}
      <h3>Autocapture</h3>
      <p>
        {isCaptured ? (
          <>
            A {type} captures <code>$autocapture</code>.
          </>
        ) : (
          <>A {type} captures nothing.</>
        )}
      </p>
      <ul>
        {[...reasons, ...(isCaptured ? omissions : [])].map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {isCaptured && (
        <>
          <Values values={properties} />
          <details>
            <summary>All properties of the event</summary>
            <Values values={tools.host.api().calculateEventProperties?.('$autocapture', properties) ?? {}} />
          </details>
        </>
      )}
    </>
  )
}
