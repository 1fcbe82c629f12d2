import { Component, inject } from '@angular/core'
import { ActivatedRoute } from '@angular/router'

@Component({ template: `<h1>{{ title }}</h1>` })
export class Page {
  readonly title = inject(ActivatedRoute).snapshot.title
}
