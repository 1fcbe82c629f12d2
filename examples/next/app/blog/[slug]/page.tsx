import type { Metadata } from 'next'

type Props = { params: Promise<{ slug: string }> }

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => ({
  title: `Post ${(await params).slug}`,
})

export default async function Post({ params }: Props) {
  return <h1>Post {(await params).slug}</h1>
}
