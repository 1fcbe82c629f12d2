import { Fragment, type FunctionComponent, h, render } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Stop } from '../../types'
import { ConfigurationPanel } from './configuration'
import { createEventLog } from './eventLog'
import { EventsPanel } from './events'
import { FlagsPanel } from './flags'
import { HeatmapPanel } from './heatmap'
import { Icon, type IconName } from './icons'
import { InspectPanel } from './inspect'
import { followPlace, type Place, readPlace } from './place'
import { storePlace } from './storage'
import type { PanelProps, Tools } from './tools'
import { VitalsPanel } from './vitals'

interface Panel {
  name: IconName
  title: string
  Content: FunctionComponent<PanelProps>
}

const PANELS: readonly Panel[] = [
  { name: 'inspect', title: 'Inspect', Content: InspectPanel },
  { name: 'events', title: 'Events', Content: EventsPanel },
  { name: 'flags', title: 'Flags', Content: FlagsPanel },
  { name: 'heatmap', title: 'Heatmap', Content: HeatmapPanel },
  { name: 'vitals', title: 'Web vitals', Content: VitalsPanel },
  { name: 'configuration', title: 'Configuration', Content: ConfigurationPanel },
]

// CSS px that an arrow key moves the toolbar.
const STEP = 24
const DIRECTIONS: Partial<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

interface BarProps {
  tools: Tools
  overlay: HTMLElement
  /** The element that is moved: it contains the bar and the open panel. */
  dock: HTMLElement
}

const Bar = ({ tools, overlay, dock }: BarProps) => {
  const { host } = tools
  const saved = useRef(readPlace())
  const [panel, setPanel] = useState(saved.current.panel)
  const [isOpenedHere, setIsOpenedHere] = useState(false)
  const [focused, setFocused] = useState(0)
  const [isMoving, setIsMoving] = useState(false)
  const [announcement, announce] = useState('')
  const bar = useRef<HTMLDivElement>(null)
  const follow = useRef<ReturnType<typeof followPlace>>(undefined)
  const keep = (changes: Partial<Place>) => {
    Object.assign(saved.current, changes)
    storePlace(saved.current)
  }
  useLayoutEffect(() => {
    follow.current = followPlace(host, dock, bar.current!, saved.current)
    return follow.current.stop
  }, [])
  useLayoutEffect(() => follow.current?.draw())

  const open = (name: string | undefined) => {
    setPanel(name)
    setIsOpenedHere(true)
    keep({ panel: name })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (isMoving && (DIRECTIONS[key] || key === 'Escape')) {
      const [x, y] = DIRECTIONS[key] ?? [0, 0]
      if (key === 'Escape') setIsMoving(false)
      else keep(follow.current!.moveBy(x * STEP, y * STEP))
      event.preventDefault()
      return
    }
    const buttons = [...bar.current!.querySelectorAll('button')]
    const isRtl = getComputedStyle(bar.current!).direction === 'rtl'
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[key]
    const next =
      key === 'Home'
        ? 0
        : key === 'End'
          ? buttons.length - 1
          : step && (focused + step + buttons.length) % buttons.length
    if (next === undefined) return
    event.preventDefault()
    setFocused(next)
    buttons[next]!.focus()
  }
  const onDrag = (start: PointerEvent) => {
    const grip = start.currentTarget as HTMLElement
    grip.setPointerCapture(start.pointerId)
    let { clientX: x, clientY: y } = start
    let moved: Partial<Place> = {}
    const stops = [
      host.listen(grip, ['pointermove'], (event) => {
        const { clientX, clientY } = event as PointerEvent
        moved = follow.current!.moveBy(clientX - x, clientY - y)
        ;[x, y] = [clientX, clientY]
      }),
      host.listen(grip, ['lostpointercapture'], () => {
        keep(moved)
        stops.forEach((stop) => stop())
      }),
    ]
  }
  const current = PANELS.find(({ name }) => name === panel)
  const buttonProps = (index: number) => ({
    type: 'button' as const,
    class: 'icon',
    tabIndex: index === focused ? 0 : -1,
    onFocus: () => setFocused(index),
  })
  return (
    <>
      <div class="bar" role="toolbar" aria-label="Trailmark toolbar" ref={bar} onKeyDown={onKeyDown}>
        <button
          {...buttonProps(0)}
          aria-label="Move with arrow keys"
          title="Drag, or press and use arrow keys"
          aria-pressed={isMoving}
          class="icon grip"
          onPointerDown={onDrag}
          onClick={(event) => event.detail === 0 && setIsMoving(!isMoving)}
          onBlur={() => setIsMoving(false)}
        >
          <Icon name="move" />
        </button>
        {PANELS.map(({ name, title }, index) => (
          <button
            key={name}
            {...buttonProps(index + 1)}
            aria-label={title}
            title={title}
            aria-expanded={name === panel}
            onClick={() => open(name === panel ? undefined : name)}
          >
            <Icon name={name} />
          </button>
        ))}
      </div>
      {current && (
        <PanelBox
          key={current.name}
          title={current.title}
          close={() => {
            open(undefined)
            bar.current!.querySelectorAll('button')[focused]?.focus()
          }}
        >
          <current.Content tools={tools} overlay={overlay} isOpenedHere={isOpenedHere} announce={announce} />
        </PanelBox>
      )}
      <div class="sr-only" role="status">
        {announcement}
      </div>
    </>
  )
}

const PanelBox: FunctionComponent<{ title: string; close: Stop }> = ({ title, close, children }) => (
  <section
    class="panel"
    aria-label={title}
    onKeyDown={(event) => {
      if (event.key === 'Escape') close()
    }}
  >
    <header>
      <h2>{title}</h2>
      <button type="button" class="icon" aria-label={`Close ${title}`} onClick={close}>
        <Icon name="close" />
      </button>
    </header>
    {/* Scrollable by keyboard. */}
    <div class="content" tabIndex={0} role="group" aria-label={`${title} content`}>
      {children}
    </div>
  </section>
)

/** Shows the bar. Returns a function that removes it and stops all panels. */
export const showBar = (inputs: Omit<Tools, 'events'>): Stop => {
  const tools = { ...inputs, events: createEventLog(inputs.host) }
  const { root } = tools.layer
  const overlay = document.createElement('div')
  overlay.className = 'overlay'
  overlay.setAttribute('aria-hidden', 'true')
  const dock = document.createElement('div')
  dock.className = 'dock'
  root.append(overlay, dock)
  render(<Bar tools={tools} overlay={overlay} dock={dock} />, dock)
  return () => {
    render(null, dock)
    tools.events.stop()
    dock.remove()
    overlay.remove()
  }
}
