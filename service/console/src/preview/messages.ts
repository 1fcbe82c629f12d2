/** Messages between the form of a survey and the document that previews it. */

export type Theme = 'light' | 'dark'

/** What is shown first: the survey from its beginning, the question with this index, or the thanks. */
export type PreviewScreen = 'start' | 'thanks' | number

/** Sent to the preview: the draft as the SDK would receive it. */
export interface ToPreview {
  readonly type: 'show'
  readonly survey: unknown
  readonly screen: PreviewScreen
  readonly theme: Theme
  /** Language tag of a translation. '': the original texts. */
  readonly language: string
}

/** Sent by the preview: ready to receive drafts, or whether the last one is shown. */
export interface FromPreview {
  readonly type: 'ready' | 'shown' | 'incomplete'
}
