import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Part } from './boundary.tsx'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: string
}

/** Tabs with the arrow keys of the ARIA pattern. The page keeps the chosen tab, mostly in its URL. */
export const Tabs = <Name extends string>({
  label,
  tabs,
  current,
  onChange,
  children,
}: {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly current: Name
  readonly onChange: (name: Name) => void
  readonly children: ComponentChildren
}) => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  // If the tabs are wider than the page, scroll to the chosen one.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (tab) list.current!.scrollLeft = tab.offsetLeft - (list.current!.clientWidth - tab.offsetWidth) / 2
  }, [current])
  const onKeyDown = (event: KeyboardEvent) => {
    const index = tabs.findIndex(({ name }) => name === current)
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const target = (next + tabs.length) % tabs.length
    onChange(tabs[target]!.name)
    list.current?.querySelectorAll('button')[target]?.focus()
  }
  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            onClick={() => onChange(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        <Part>{() => children}</Part>
      </div>
    </div>
  )
}
