module github.com/cdphub/cdphub/web/build

go 1.26

require (
	github.com/evanw/esbuild v0.28.2
	github.com/gobwas/ws v1.5.0
)

require (
	github.com/gobwas/httphead v0.1.0 // indirect
	golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8 // indirect
)
