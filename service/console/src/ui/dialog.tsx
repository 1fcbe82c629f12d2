import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { Part } from './boundary.tsx'

/** A modal dialog. It is open while it is rendered; Escape and its close button call `onClose`. */
export const Dialog = ({
  title,
  isWide = false,
  onClose,
  foot,
  children,
}: {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly foot?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button plain icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog-body">
        <Part>{() => children}</Part>
      </div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </dialog>
  )
}
