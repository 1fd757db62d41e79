require 'zip'
buffer = Zip::OutputStream.write_buffer do |archive|
  Dir.glob('**/*').select { |path| File.file?(path) }.sort.each do |path|
    archive.put_next_entry(path)
    archive.write(File.binread(path))
  end
end
File.binwrite(ARGV[0], buffer.string)
