import { useEffect, useRef, useState } from 'preact/hooks'
import { SERVICE_URL } from '../../api/client.ts'
import { languageName } from '../../lib/format.ts'
import { useSettled } from '../../lib/useSettled.ts'
import type { FromPreview, PreviewScreen, Theme, ToPreview } from '../../preview/messages.ts'
import { Segments, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { toInput } from './questions.ts'
import type { SurveyDraft } from './surveyApi.ts'
import styles from './surveys.module.css'
import { languagesOf } from './translations.ts'

const PREVIEW = `${SERVICE_URL}/console/preview.html`

type Device = 'desktop' | 'phone'

const screensOf = ({ questions, appearance }: SurveyDraft): readonly { value: string; label: string }[] => [
  { value: 'start', label: 'From the beginning' },
  ...questions.map(({ question }, index) => ({
    value: String(index),
    label: `Question ${index + 1}${question && `: ${question}`}`,
  })),
  ...(appearance?.displayThankYouMessage ? [{ value: 'thanks', label: 'Thank-you message' }] : []),
]

const toScreen = (value: string): PreviewScreen => (value === 'start' || value === 'thanks' ? value : Number(value))

/** The survey of a draft as visitors see it, shown by the SDK's own code in a separate document. */
export const Preview = ({ draft }: { readonly draft: SurveyDraft }) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [device, setDevice] = useState<Device>('desktop')
  const [theme, setTheme] = useState<Theme>(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  )
  const [chosen, setScreen] = useState('start')
  const [chosenLanguage, setLanguage] = useState('')
  const [state, setState] = useState<FromPreview['type']>()
  const screens = screensOf(draft)
  // The question may have been removed.
  const screen = screens.some(({ value }) => value === chosen) ? chosen : 'start'
  const languages = languagesOf(draft)
  const language = languages.includes(chosenLanguage) ? chosenLanguage : ''
  const survey = { ...toInput(draft), id: 'preview', name: draft.name || 'Survey' }
  const message: ToPreview = { type: 'show', survey, screen: toScreen(screen), theme, language }
  const json = useSettled(JSON.stringify(message))
  const isReady = state !== undefined

  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent<FromPreview>) => {
      if (source === frame.current?.contentWindow && origin === new URL(PREVIEW).origin) setState(data.type)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  useEffect(() => {
    if (isReady) frame.current!.contentWindow!.postMessage(JSON.parse(json), new URL(PREVIEW).origin)
  }, [isReady, json])

  return (
    <Card title="Preview">
      <div class="stack">
        <div class={styles.previewSettings}>
          <Select label="Part of the survey" value={screen} options={screens} onChange={setScreen} />
          {languages.length > 0 && (
            <Select
              label="Language of the preview"
              value={language}
              options={[
                { value: '', label: 'Not translated' },
                ...languages.map((tag) => ({ value: tag, label: languageName(tag) })),
              ]}
              onChange={setLanguage}
            />
          )}
          <Segments
            label="Screen"
            value={device}
            options={[
              { value: 'desktop', label: 'Desktop' },
              { value: 'phone', label: 'Phone' },
            ]}
            onChange={setDevice}
          />
          <Segments
            label="Theme of the preview"
            value={theme}
            options={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={setTheme}
          />
        </div>
        {state === 'incomplete' && (
          <p class="notice warning">The survey appears here once its questions are complete.</p>
        )}
        <iframe ref={frame} class={styles.preview} data-device={device} src={PREVIEW} title="Preview of the survey" />
      </div>
    </Card>
  )
}
