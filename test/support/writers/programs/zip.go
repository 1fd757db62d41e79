package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
)

func main() {
	out, err := os.Create(os.Args[1])
	check(err)
	archive := zip.NewWriter(out)
	check(filepath.Walk(".", func(path string, info os.FileInfo, err error) error {
		check(err)
		if info.IsDir() {
			return nil
		}
		writer, err := archive.Create(filepath.ToSlash(path))
		check(err)
		file, err := os.Open(path)
		check(err)
		defer file.Close()
		_, err = io.Copy(writer, file)
		return err
	}))
	check(archive.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
