import { useFeatureFlag, useFeatureFlagEnabled, useFeatureFlagPayload } from 'trailmark/vue'
import { defineComponent, h } from 'vue'

export const BOOTSTRAP = {
  distinctID: 'ada',
  featureFlags: { checkout: 'short', banner: true, old: false },
  featureFlagPayloads: { checkout: '{"steps":2}' },
}

/** A component that shows flags. */
export const Checkout = defineComponent(() => {
  const value = useFeatureFlag('checkout')
  const isOld = useFeatureFlagEnabled('old')
  const isNew = useFeatureFlagEnabled('unknown', true)
  const payload = useFeatureFlagPayload('checkout')
  return () => h('p', JSON.stringify([value.value, isOld.value, isNew.value, payload.value]))
})

/** What a server renders of it. */
export const SERVER_HTML = '<p>[&quot;short&quot;,false,true,{&quot;steps&quot;:2}]</p>'
